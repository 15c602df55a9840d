#version 450
// One workgroup routes all tokens: each goes to the two experts with the largest logits, with the softmax of these two
// as scales. The result has the layout of vkmm_gemm_bindings.routing: status, rows of each expert, the rows' slots in
// the experts' order, the slots' scales. Slots 2t and 2t + 1 are token t's.
layout(local_size_x = 64) in; // as many as there may be experts
layout(set = 0, binding = 0) readonly buffer Logits { float logits[]; }; // tokens × experts
layout(set = 0, binding = 1) buffer Routing { uint routing[]; };
layout(push_constant) uniform Constants { uint tokens, experts; };

shared uint counts[64];
shared uint chosen[2 * 1024]; // the expert of each slot

void choose(uint token)
{
    uint best = 0, next = 1;
    for (uint e = 1; e < experts; e++) {
        const float logit = logits[token * experts + e];
        if (logit > logits[token * experts + best]) {
            next = best;
            best = e;
        } else if (e == 1 || logit > logits[token * experts + next]) {
            next = e;
        }
    }
    const uint scales = 1 + experts + 2 * tokens + 2 * token;
    const float share = 1 / (1 + exp(logits[token * experts + next] - logits[token * experts + best]));
    routing[scales] = floatBitsToUint(share);
    routing[scales + 1] = floatBitsToUint(1 - share);
    chosen[2 * token] = best;
    chosen[2 * token + 1] = next;
}

void main()
{
    const uint me = gl_LocalInvocationID.x;
    for (uint token = me; token < tokens; token += 64)
        choose(token);
    barrier();
    counts[me] = 0;
    for (uint slot = 0; slot < 2 * tokens; slot++)
        counts[me] += uint(chosen[slot] == me);
    barrier();
    if (me >= experts)
        return;
    uint at = 1 + experts;
    for (uint e = 0; e < me; e++)
        at += counts[e];
    routing[1 + me] = counts[me];
    for (uint slot = 0; slot < 2 * tokens; slot++)
        if (chosen[slot] == me)
            routing[at++] = slot;
}
