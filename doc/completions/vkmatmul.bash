# bash completion for vkmatmul, made by: vkmatmul help --completions bash
_vkmatmul() {
    local IFS=$'\n' words
    words=$("${COMP_WORDS[0]}" help --candidates -- "${COMP_WORDS[@]:1:COMP_CWORD-1}")
    mapfile -t COMPREPLY < <(compgen -W "$(cut -f 1 <<< "$words")" -- "${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _vkmatmul vkmatmul
