package io.statestore.broker.gateway;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class IncomingAcksTests {

	@Test
	void acknowledgesInOrderOfRequests() {
		List<Integer> sent = new ArrayList<>();
		IncomingAcks acknowledgements = new IncomingAcks(sent::add);
		Runnable first = acknowledgements.received(5);
		Runnable second = acknowledgements.received(3);
		Runnable third = acknowledgements.received(4);

		second.run();
		assertThat(sent).isEmpty();
		first.run();
		assertThat(sent).containsExactly(5, 3);
		third.run();
		assertThat(sent).containsExactly(5, 3, 4);
	}

}
