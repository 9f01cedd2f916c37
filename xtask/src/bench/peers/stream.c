/* Reading, copy and triad as STREAM defines them (McCalpin, https://www.cs.virginia.edu/stream/ref.html): arrays of at
 * least four times the last cache, each kernel several times, the best counts, and bytes are those of the arrays.
 *
 * stream MEGABYTES_OF_AN_ARRAY TIMES: prints a name, a tab and bytes per second, by the clock on the wall and, of a single
 * thread, by its processor time, which leaves out what other programs took. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

int main(int count, char **arguments)
{
    const size_t n = (size_t)(count > 1 ? atol(arguments[1]) : 128) * 1000000 / sizeof(double);
    const int times = count > 2 ? atoi(arguments[2]) : 10;
    double *a = aligned_alloc(64, (n * sizeof(double) + 63) / 64 * 64);
    double *b = aligned_alloc(64, (n * sizeof(double) + 63) / 64 * 64);
    double *c = aligned_alloc(64, (n * sizeof(double) + 63) / 64 * 64);
    if (!a || !b || !c)
        return 1;
#pragma omp parallel for
    for (size_t i = 0; i < n; i++) {
        a[i] = 1.0;
        b[i] = 2.0 + (double)(i % 7);
        c[i] = 0.5 + (double)(i % 5);
    }
    double best[6] = {1e30, 1e30, 1e30, 1e30, 1e30, 1e30};
    double sum = 0.0;
    for (int time = 0; time < times; time++) {
        double start = omp_get_wtime(), cpu_start = processor_time();
#pragma omp parallel for simd reduction(+ : sum)
        for (size_t i = 0; i < n; i++)
            sum += a[i];
        double read = omp_get_wtime(), cpu_read = processor_time();
#pragma omp parallel for
        for (size_t i = 0; i < n; i++)
            c[i] = b[i];
        double copy = omp_get_wtime(), cpu_copy = processor_time();
#pragma omp parallel for
        for (size_t i = 0; i < n; i++)
            a[i] = b[i] + 3.0 * c[i];
        double triad = omp_get_wtime(), cpu_triad = processor_time();
        double took[6] = {read - start,         copy - read,         triad - copy,
                          cpu_read - cpu_start, cpu_copy - cpu_read, cpu_triad - cpu_copy};
        /* The first time is not counted, as in STREAM. */
        for (int kernel = 0; kernel < 6 && time > 0; kernel++)
            if (took[kernel] < best[kernel])
                best[kernel] = took[kernel];
    }
    for (size_t i = 0; i < n; i++)
        if (a[i] != 4.0 * (2.0 + (double)(i % 7)))
            return 2;
    const char *names[6] = {"read", "copy", "triad", "read cpu", "copy cpu", "triad cpu"};
    for (int kernel = 0; kernel < (omp_get_max_threads() == 1 ? 6 : 3); kernel++)
        printf("%s\t%.0f\n", names[kernel], (kernel % 3 + 1.0) * n * sizeof(double) / best[kernel]);
    fprintf(stderr, "%g\n", sum);
    return 0;
}
