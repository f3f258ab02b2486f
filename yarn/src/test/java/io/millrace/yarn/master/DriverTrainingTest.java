package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;

class DriverTrainingTest {
  @Test
  void driverRegistersStartsAContainerAndEndsWithoutARealYarn() {
    assertThatCode(DriverTraining::run).doesNotThrowAnyException();
  }
}
