"""A trace as `vkmatmul trace --json` writes it, made by plain arithmetic: what the page's tests know all values of."""


def trace(m, n, k, tile=0, at=(0, 0), init="seq", device="a model", workgroup=8):
    """tile 0: the untiled kernel `naive`, `workgroup` invocations along C's rows. init "seq": 1, 2, 3, … in both matrices."""
    a = [[i * k + j + 1 for j in range(k)] for i in range(m)]
    b = [[i * n + j + 1 for j in range(n)] for i in range(k)]
    if init == "signed":
        a = [[x if (x % 3) else -x for x in row] for row in a]
    c = [[sum(a[i][x] * b[x][j] for x in range(k)) for j in range(n)] for i in range(m)]
    rows, cols, shape = (tile, tile, [tile, tile]) if tile else (1, workgroup, [workgroup, 1])
    crew = []
    for i in range(rows * cols):
        local = [i % cols, i // cols]
        if tile:
            group = [at[1] // tile, at[0] // tile]
            row, col = group[1] * tile + local[1], group[0] * tile + local[0]
        else:
            group = [(at[0] * n + at[1]) // workgroup, 0]
            row, col = divmod(group[0] * workgroup + i, n)
        origin = [group[0] * shape[0], group[1] * shape[1]]
        crew.append({"index": i, "global": [origin[0] + local[0], origin[1] + local[1]], "local": local, "workgroup": group,
                     "tile_origin": origin, "row": row, "col": col, "inside": row < m and col < n})
    origin = [crew[0]["row"], crew[0]["col"]]
    depth = tile or 1
    steps, sums = [], [0] * len(crew)

    def value(matrix, i, j):
        return matrix[i][j] if i < len(matrix) and j < len(matrix[0]) else 0

    for k0 in range(0, k, depth):
        if tile:
            steps.append({"kind": "load", "k0": k0,
                          "tile_a": [[value(a, origin[0] + i, k0 + j) for j in range(tile)] for i in range(tile)],
                          "tile_b": [[value(b, k0 + i, origin[1] + j) for j in range(tile)] for i in range(tile)]})
            steps.append({"kind": "barrier"})
        for x in range(k0, k0 + depth):
            terms = [[value(a, one["row"], x), value(b, x, one["col"])] for one in crew]
            sums = [s + p * q for s, (p, q) in zip(sums, terms)]
            steps.append({"kind": "sum", "k": x, "terms": terms, "sums": sums})
        if tile:
            steps.append({"kind": "barrier"})
    steps.append({"kind": "store", "values": [s if one["inside"] else None for s, one in zip(sums, crew)]})
    return {
        "schema": "vkmatmul.trace/1", "tool": {"version": "0.0.0", "command": "vkmatmul trace"}, "device": {"name": device},
        "problem": {"type": "i32", "m": m, "n": n, "k": k, "init": init, "seed": 1},
        "kernel": {"name": "tiled" if tile else "naive", "tile": [tile, tile], "workgroup": shape + [1], "groups": [1, 1, 1]},
        "at": list(at), "a": a, "b": b, "c": c,
        "group": {"id": crew[0]["workgroup"], "origin": origin, "rows": rows, "cols": cols, "depth": depth},
        "invocations": crew, "steps": steps,
    }
