package io.statestore.test.cycle;

/** Depends on {@link First} in a lambda. */
class Third {

	Runnable task = () -> new First();

}
