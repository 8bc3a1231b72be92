package io.statestore.test.cycle;

/** Depends on {@link Third}. */
class Second {

	Third third = new Third();

}
