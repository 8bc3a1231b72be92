package io.statestore.client.mqtt.integration;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AdapterAcknowledgmentsTests {

	private final List<Integer> acknowledged = new ArrayList<>();

	private final AdapterAcknowledgments acknowledgments = new AdapterAcknowledgments(this.acknowledged::add);

	AdapterAcknowledgmentsTests() {
		for (int id = 1; id <= 3; id++) {
			this.acknowledgments.arrived(id, 10 * id);
		}
	}

	@Test
	void acknowledgesInOrderOfArrival() {
		this.acknowledgments.complete(3);
		this.acknowledgments.complete(2);
		assertThat(this.acknowledged).isEmpty();
		this.acknowledgments.complete(1);
		assertThat(this.acknowledged).containsExactly(10, 20, 30);
	}

	@Test
	void acknowledgesOnce() {
		this.acknowledgments.complete(1);
		this.acknowledgments.complete(1);
		assertThat(this.acknowledged).containsExactly(10);
	}

	@Test
	void waitsForEveryListener() {
		this.acknowledgments.require(1, 2);
		this.acknowledgments.complete(1);
		assertThat(this.acknowledged).isEmpty();
		this.acknowledgments.complete(1);
		assertThat(this.acknowledged).containsExactly(10);
	}

	@Test
	void ignoresMessagesOfEndedConnection() {
		this.acknowledgments.close();
		this.acknowledgments.require(1, 1);
		this.acknowledgments.complete(1);
		assertThat(this.acknowledged).isEmpty();
	}

}
