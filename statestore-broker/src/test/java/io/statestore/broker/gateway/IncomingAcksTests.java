package io.statestore.broker.gateway;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class IncomingAcksTests {

	@Test
	void acknowledgesInOrderOfRequests() {
		List<Integer> sent = new ArrayList<>();
		IncomingAcks acknowledgments = new IncomingAcks(sent::add);
		Runnable first = acknowledgments.received(5);
		Runnable second = acknowledgments.received(3);
		Runnable third = acknowledgments.received(4);

		second.run();
		assertThat(sent).isEmpty();
		first.run();
		assertThat(sent).containsExactly(5, 3);
		third.run();
		assertThat(sent).containsExactly(5, 3, 4);
	}

}
