package io.statestore.testing.boot;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/** Bootstrapper for {@link StateStoreTest}. */
class StateStoreTestContextBootstrapper extends TestSliceTestContextBootstrapper<StateStoreTest> {

}
