# bash completion for vkmatmul, made by: vkmatmul help --completions bash
_vkmatmul() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=run words=
    if ((COMP_CWORD > 1)); then
        case ${COMP_WORDS[1]} in
        run | ladder | devices | explain | trace | race | help) command=${COMP_WORDS[1]} ;;
        esac
    fi
    COMPREPLY=()
    case $prev in
    --type) words="f32 f64 i32 u32" ;;
    --init) words="uniform int ones index zeros" ;;
    --kernel) words="auto serial naive grouped tiled band band-tiled" ;;
    --verify) words="auto full freivalds none" ;;
    -a | -b | -o | --shader | --driver | --html)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    -s | --size | -m | -n | -k | --seed | -t | --tile | --at | -d | --device | -i | --iters | -j | --cold-iters | --min-time | --max-time) return ;;
    *) words= ;;
    esac
    [[ -n $words ]] || case $command in
    run) words="--size -m -n -k --type -a -b -o --init --seed --kernel --tile --shader --device --driver --validate --verify --iters --cold-iters --min-time --max-time --json --csv --quiet --print --help --version" ;;
    ladder) words="--size -m -n -k --type --init --seed --tile --device --driver --validate --verify --iters --cold-iters --min-time --max-time --json --csv --quiet --help --version" ;;
    devices) words="--device --driver --validate --json --help --version" ;;
    explain) words="--size -m -n -k --type --tile --kernel --limits --device --driver --validate --json --help --version" ;;
    trace) words="--size -m -n -k --type -a -b --init --seed --kernel --tile --at --indices --device --driver --validate --json --html --help --version" ;;
    race) words="--size --tile --device --driver --validate --iters --json --help --version" ;;
    help) words="--help --version" ;;
    esac
    if ((COMP_CWORD == 1)) || [[ $command == help ]]; then words+=" run ladder devices explain trace race help"; fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -F _vkmatmul vkmatmul
