# gnuplot doc/weights.gp: doc/weights.svg, from the table of doc/weights.md.
$times << EOD
format ours1 ggml1 ours8 ggml8 ours512 ggml512
f16    30.4  31.3  38.0  75.4  230 262
q8_0   22.6  29.2  27.2  64.3  277 428
q4_0   14.2  14.3  20.8  60.7  248 435
q4_K   15.6  18.6  19.8  100   233 458
mxfp4  17.6  28.1  22.1  54.6  238 480
nvfp4  16.7  42.5  19.1  123   241 489
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
set title '4096×1×14336'
plot $times using 2:xtic(1) every ::1 lc rgb '#0072b2', '' using 3 every ::1 lc rgb '#e69f00'
unset ylabel
set title '4096×8×14336'
plot $times using 4:xtic(1) every ::1 lc rgb '#0072b2', '' using 5 every ::1 lc rgb '#e69f00'
set title '4096×512×14336'
set key top left Left reverse samplen 1
set yrange [0:700]
plot $times using 6:xtic(1) every ::1 lc rgb '#0072b2' title 'vkmatmul', '' using 7 every ::1 lc rgb '#e69f00' title 'ggml 0.27'
