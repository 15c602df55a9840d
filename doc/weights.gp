# gnuplot doc/weights.gp: doc/weights.svg, from the table of doc/weights.md.
$times << EOD
format ours1 ggml1 ours8 ggml8 ours512 ggml512
f16    33.8  31.3  41.2  95.6  235 342
q8_0   23.6  29.1  53.4  64.9  283 470
q4_0   17.9  14.2  37.9  60.8  249 457
q4_K   20.4  24.0  38.0  114   244 428
mxfp4  26.8  27.9  40.9  54.5  245 529
nvfp4  26.2  42.4  39.7  124   246 491
EOD
set terminal svg noenhanced size 900,300 font 'sans-serif,12' background '#ffffff'
set output 'doc/weights.svg'
set style data histograms
set style histogram clustered gap 1
set style fill solid
set boxwidth 0.9
set yrange [0:*]
set grid y
set xtics rotate by -35 nomirror
set key off
set multiplot layout 1,3
set ylabel 'µs'
set title '4096×1×14336, in a row'
plot $times using 2:xtic(1) every ::1 lc rgb '#0072b2', '' using 3 every ::1 lc rgb '#e69f00'
unset ylabel
set title '4096×8×14336'
plot $times using 4:xtic(1) every ::1 lc rgb '#0072b2', '' using 5 every ::1 lc rgb '#e69f00'
set title '4096×512×14336'
set key top left Left reverse samplen 1
set yrange [0:700]
plot $times using 6:xtic(1) every ::1 lc rgb '#0072b2' title 'vkmatmul', '' using 7 every ::1 lc rgb '#e69f00' title 'ggml 0.27'
