package io.statestore.client.observability;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.micrometer.common.KeyValue;
import io.statestore.client.StateStoreNotSentException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StateStoreCallContextTests {

	@Test
	void otherThreadReadsOutcomeOfFailedCall() {
		List<StateStoreCallContext> calls = Stream.generate(() -> new StateStoreCallContext("GET", null, 0, null))
			.limit(100_000)
			.toList();
		CompletableFuture<Set<String>> outcomes = CompletableFuture.supplyAsync(
				() -> calls.stream().map(StateStoreCallContextTests::awaitOutcome).collect(Collectors.toSet()));
		calls.forEach((call) -> {
			// Takes longer than a read, which therefore meets each end.
			call.setError(new StateStoreNotSentException("no connection"));
			call.end();
		});
		assertThat(outcomes.join()).containsExactly("not-sent");
	}

	private static String awaitOutcome(StateStoreCallContext call) {
		String outcome = call.outcome();
		while (outcome.equals(KeyValue.NONE_VALUE)) {
			outcome = call.outcome();
		}
		return outcome;
	}

}
