package io.millrace.control.ha;

class MemoryHaStoreContractTest extends HaStoreContract {
  @Override
  protected HaStore store() {
    return new MemoryHaStore();
  }
}
