// Rows behind pointers, as many nonzeros in each as it says: product with a vector, and both sweeps of Gauss-Seidel.
struct Matrix {
  int rows;
  int *nonzeros;
  double **values, **diagonal;
  int **columns;
};
void product(const Matrix &m, const double *x, double *y) {
  for (int i = 0; i < m.rows; i++) {
    double sum = 0;
    const double *values = m.values[i];
    const int *columns = m.columns[i];
    for (int j = 0; j < m.nonzeros[i]; j++) sum += values[j] * x[columns[j]];
    y[i] = sum;
  }
}
void sweeps(const Matrix &m, const double *r, double *x) {
  for (int i = 0; i < m.rows; i++) {
    double sum = r[i], diagonal = m.diagonal[i][0];
    for (int j = 0; j < m.nonzeros[i]; j++) sum -= m.values[i][j] * x[m.columns[i][j]];
    sum += x[i] * diagonal;
    x[i] = sum / diagonal;
  }
  for (int i = m.rows - 1; i >= 0; i--) {
    double sum = r[i], diagonal = m.diagonal[i][0];
    for (int j = 0; j < m.nonzeros[i]; j++) sum -= m.values[i][j] * x[m.columns[i][j]];
    sum += x[i] * diagonal;
    x[i] = sum / diagonal;
  }
}
