# fish completion for vkmatmul, made by: vkmatmul help --completions fish
complete -c vkmatmul -a '(vkmatmul help --candidates -- (commandline -opc)[2..])'
