package io.statestore.testing.junit;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static io.statestore.testing.assertj.StateStoreAssertions.assertThat;

/** Tests that run in parallel, if the build permits it, each with its own broker. */
@Execution(ExecutionMode.CONCURRENT)
class ParallelExtensionTests {

	@RegisterExtension
	final StateStoreExtension store = StateStoreExtension.builder().build();

	@RepeatedTest(2)
	void hasItsOwnBroker(RepetitionInfo repetition) {
		assertThat(this.store.operations()).hasOnlyKeys("*");
		this.store.operations().set("press-" + repetition.getCurrentRepetition(), "180");
		assertThat(this.store.operations()).hasOnlyKeys("*", "press-" + repetition.getCurrentRepetition());
	}

}
