package io.statestore.broker.faults;

/** A fault that has begun. */
interface Fault {

	/** Repairs what the fault has broken. */
	void end() throws Exception;

}
