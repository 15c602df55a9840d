# bash completion for vkmatmul, made by: vkmatmul help --completions bash
_vkmatmul() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=run words=
    if ((COMP_CWORD > 1)); then
        case ${COMP_WORDS[1]} in
        run | ladder | devices | help) command=${COMP_WORDS[1]} ;;
        esac
    fi
    COMPREPLY=()
    case $prev in
    --type) words="f32 f64 i32 u32" ;;
    --init) words="uniform int ones index zeros" ;;
    --kernel) words="auto serial naive grouped tiled band band-tiled" ;;
    --verify) words="auto full freivalds none" ;;
    -a | -b | -o | --shader | --driver)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    -s | --size | -m | -n | -k | --seed | -t | --tile | -d | --device | -i | --iters | -j | --cold-iters | --min-time | --max-time) return ;;
    *) words= ;;
    esac
    [[ -n $words ]] || case $command in
    run) words="--size -m -n -k --type -a -b -o --init --seed --kernel --tile --shader --device --driver --validate --verify --iters --cold-iters --min-time --max-time --json --csv --quiet --print --help --version" ;;
    ladder) words="--size -m -n -k --type --init --seed --tile --device --driver --validate --verify --iters --cold-iters --min-time --max-time --json --csv --quiet --help --version" ;;
    devices) words="--device --driver --validate --json --help --version" ;;
    help) words="--help --version" ;;
    esac
    if ((COMP_CWORD == 1)) || [[ $command == help ]]; then words+=" run ladder devices help"; fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -F _vkmatmul vkmatmul
