package io.statestore.broker.mqtt;

import java.util.List;

import io.statestore.broker.memory.MemoryUse;
import io.statestore.test.PropertyType;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Memory of subscriptions. */
class SubscriptionMemoryTests extends ClientMemoryTest {

	/** More subscriptions than fit into the memory of one client. */
	private static final int MANY = 1_000;

	@Test
	void refusesSubscriptionsAboveLimit() throws Exception {
		try (RawMqttConnection client = client("m1")) {
			List<Integer> reasons = subscribe(client, filters("a/%03d", MANY));
			int granted = (int) reasons.stream().filter((reason) -> reason == 1).count();
			assertThat(granted).isBetween(580, 660);
			assertThat(reasons.subList(0, granted)).containsOnly(1);
			assertThat(reasons.subList(granted, MANY)).containsOnly(QUOTA_EXCEEDED);
			assertThat(this.budget.refused(MemoryUse.SUBSCRIPTION)).isEqualTo(MANY - granted);
			client.send(client.publish("a/000", 0, "granted"));
			assertThat(client.receivePublish().text()).isEqualTo("granted");
			client.send(client.publish("a/999", 0, "refused"));
			client.ping();
			assertThat(subscribe(client, List.of("b/000", "c/000"))).containsOnly(QUOTA_EXCEEDED);
			client.unsubscribed("a/000");
			assertThat(subscribe(client, List.of("b/000", "c/000"))).containsExactly(1, QUOTA_EXCEEDED);
		}
	}

	@Test
	void refusesPersistentSessionSubscriptionsAboveLimit() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("m1-lasting", LASTING);
			List<Integer> reasons = subscribe(client, filters("a/%03d", MANY));
			int granted = (int) reasons.stream().filter((reason) -> reason == 1).count();
			assertThat(granted).isBetween(580, 660);
			assertThat(reasons.subList(0, granted)).containsOnly(1);
			assertThat(reasons.subList(granted, MANY)).containsOnly(QUOTA_EXCEEDED);
			assertThat(this.budget.refused(MemoryUse.SESSION)).isPositive();
			client.unsubscribed("a/000");
			assertThat(subscribe(client, List.of("b/000", "c/000"))).containsExactly(1, QUOTA_EXCEEDED);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "a/%d", "a/%d/#", "+/%d", "$share/group/a/%d", "$SYS/%d" })
	void limitsEveryKindOfFilter(String pattern) throws Exception {
		try (RawMqttConnection client = client("m2")) {
			assertThat(subscribe(client, filters(pattern, MANY))).contains(1, QUOTA_EXCEEDED);
		}
	}

	@Test
	void countsRepeatedSubscriptionOnce() throws Exception {
		try (RawMqttConnection client = client("m3")) {
			client.subscribed("a", 1);
			long held = this.budget.used(MemoryUse.SUBSCRIPTION);
			assertThat(held).isPositive();
			for (int i = 0; i < 50; i++) {
				client.subscribed("a", i % 3);
			}
			assertThat(subscribe(client, List.of("a", "a"))).containsExactly(1, 1);
			assertThat(this.budget.used(MemoryUse.SUBSCRIPTION)).isEqualTo(held);
			client.unsubscribed("a");
			assertThat(this.budget.used(MemoryUse.SUBSCRIPTION)).isZero();
			assertThat(subscribe(client, List.of("a", "a"))).containsExactly(1, 1);
			assertThat(this.budget.used(MemoryUse.SUBSCRIPTION)).isEqualTo(held);
		}
	}

	@Test
	void reportsRefusalToOlderClient() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect(olderClient("m4", true));
			assertThat(subscribe(client, filters("a/%d", MANY))).contains(1, 0x80);
		}
	}

	@Test
	void countsAnonymousClientOnce() throws Exception {
		try (RawMqttConnection first = new RawMqttConnection(this.broker.port());
				RawMqttConnection named = new RawMqttConnection(this.broker.port())) {
			first.connect(olderClient("", true));
			assertThat(subscribe(first, List.of("a"))).containsExactly(1);
			long held = this.budget.used(MemoryUse.SUBSCRIPTION);
			named.connect("m17", PropertyType.SESSION_EXPIRY_INTERVAL.of(1));
			named.close();
			// A sweep releases the memory.
			await(() -> this.budget.used(MemoryUse.SESSION) == 0, "the end of the session");
			assertThat(this.budget.used(MemoryUse.SUBSCRIPTION)).isEqualTo(held);
		}
		awaitReleased();
	}

}
