package io.statestore.testing.boot;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/** Bootstrapper of {@link StateStoreTest}. */
class StateStoreTestContextBootstrapper extends TestSliceTestContextBootstrapper<StateStoreTest> {

}
