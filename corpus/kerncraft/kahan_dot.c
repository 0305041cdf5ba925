double x[N], y[N];
double sum, lost, product, corrected, next;

for (int i = 0; i < N; i++) {
    product = x[i] * y[i];
    corrected = product - lost;
    next = sum + corrected;
    lost = (next - sum) - corrected;
    sum = next;
}
