package io.statestore.broker.mqtt;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawProperty;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

import static org.assertj.core.api.Assertions.assertThat;

/** A broker with small limits on the memory of its clients. */
abstract class ClientMemoryTest extends MqttBrokerTest {

	static final int QUOTA_EXCEEDED = 0x97;

	static final long BUDGET = 2_000_000;

	private static final long PER_CLIENT = 400_000;

	static final RawProperty LASTING = PropertyType.SESSION_EXPIRY_INTERVAL.of(100);

	ClientMemoryTest() {
		this.budget = new MemoryBudget(BUDGET, PER_CLIENT);
	}

	static List<String> filters(String pattern, int count) {
		return IntStream.range(0, count).mapToObj((number) -> String.format(pattern, number)).toList();
	}

	static List<Integer> subscribe(RawMqttConnection client, List<String> filters) throws IOException {
		client.send(client.subscribe(filters));
		return client.receive(PacketType.SUBACK).reasons();
	}

	static int retain(RawMqttConnection client, String topic, int qos, String payload) throws IOException {
		client.send(retained(client, topic, qos, payload));
		return client.receiveReason((qos == 1) ? PacketType.PUBACK : PacketType.PUBREC);
	}

	static RawConnect olderClient(String clientId, boolean clean) {
		return RawConnect.of(clientId).version(RawPacket.MQTT_3_1_1).cleanStart(clean);
	}

	/** Waits until all memory is released. */
	void awaitReleased() {
		await(() -> this.budget.used() == 0, "the release of all memory");
		List<MemoryUse> held = new ArrayList<>(List.of(MemoryUse.values()));
		held.removeIf((use) -> this.budget.used(use) == 0);
		assertThat(held).isEmpty();
	}

	void await(Callable<Boolean> condition, String expected) {
		try {
			Awaitility.await(expected).pollInterval(Duration.ofMillis(20)).until(condition);
		}
		catch (ConditionTimeoutException ex) {
			throw new AssertionError("Held: " + this.budget.statistics(), ex);
		}
	}

}
