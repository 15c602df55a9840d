# bash completion for vkmatmul, made by: vkmatmul help --completions bash
_vkmatmul() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=run words=
    if ((COMP_CWORD > 1)); then
        case ${COMP_WORDS[1]} in
        run | ladder | devices | explain | trace | race | tune | bench | compare | report | peak | doctor | help) command=${COMP_WORDS[1]} ;;
        esac
    fi
    COMPREPLY=()
    case $prev in
    --type) words="f32 f64 i32 u32 f16 bf16 i8 u8" ;;
    --out-type) words="f16 bf16 f32 i32 u32 f64" ;;
    --compute) words="f32 f16 i32 u32 f64" ;;
    --transposeA) words="N T" ;;
    --transposeB) words="N T" ;;
    --layout) words="row col" ;;
    --activation) words="none relu gelu" ;;
    --init) words="uniform int ones index zeros" ;;
    --kernel) words="auto serial naive grouped tiled band band-tiled blocked skinny cpu coopmat coopmat2" ;;
    --verify) words="auto full freivalds none" ;;
    --suite | -a | -b | -c | --bias | -o | --out | --shader | --driver | -o | -o | --export | --import | --html)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    -s | --size | -m | -n | -k | --alpha | --beta | --lda | --ldb | --ldc | --batch_count | --stride_a | --stride_b | --stride_c | --offset-a | --offset-b | --offset-c | --seed | --rotating | -t | --tile | --at | --config | -d | --device | --memory-limit | --retries | -i | --iters | -j | --cold-iters | --min-time | --max-time | --budget | --max-noise | --fail-on-regression) return ;;
    *) words= ;;
    esac
    [[ -n $words ]] || case $command in
    run) words="--size -m -n -k --type --out-type --compute --transposeA --transposeB --alpha --beta --layout --lda --ldb --ldc --batch_count --stride_a --stride_b --stride_c --offset-a --offset-b --offset-c -a -b -c --bias --bias_vector --activation --out --init --seed --kernel --tile --shader --config --untuned --no-cache --device --driver --memory-limit --retries --no-layers --validate --verify --iters --cold-iters --min-time --max-time --json --csv --quiet --print --help --version" ;;
    ladder) words="--size -m -n -k --type --init --seed --tile --untuned --no-cache --device --driver --no-layers --validate --verify --iters --cold-iters --min-time --max-time --json --csv --quiet --help --version" ;;
    devices) words="--device --driver --no-layers --validate --json --help --version" ;;
    explain) words="--size -m -n -k --type --out-type --compute --tile --kernel --limits --no-cache --device --driver --no-layers --validate --json --help --version" ;;
    trace) words="--size -m -n -k --type -a -b --init --seed --kernel --tile --at --indices --no-cache --device --driver --no-layers --validate --json --html --help --version" ;;
    race) words="--size --tile --no-cache --device --driver --no-layers --validate --iters --json --help --version" ;;
    tune) words="--size -m -n -k --type --out-type --compute --transposeA --transposeB --alpha --beta --layout --lda --ldb --ldc --batch_count --stride_a --stride_b --stride_c --offset-a --offset-b --offset-c --bias_vector --activation --no-cache --device --driver --no-layers --validate --budget --restart --json --export --import --help --version" ;;
    bench) words="--type --out-type --compute --suite --seed --rotating --untuned --no-cache --device --driver --no-layers --no-host --validate --budget --max-noise --resume --json -o --jsonl --md --junit --csv --help --version" ;;
    compare) words="--type --out-type --compute --suite --seed --rotating --untuned --no-cache --driver --no-layers --no-host --validate --budget --max-noise --resume --fail-on-regression --json -o --md --csv --help --version" ;;
    report) words="-o --help --version" ;;
    peak) words="--type --no-cache --device --driver --no-layers --validate --json --help --version" ;;
    doctor) words="--device --driver --no-layers --validate --json --help --version" ;;
    help) words="--help --version" ;;
    esac
    if ((COMP_CWORD == 1)) || [[ $command == help ]]; then words+=" run ladder devices explain trace race tune bench compare report peak doctor help"; fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -F _vkmatmul vkmatmul
