package io.statestore.broker.conformance;

import java.util.function.Consumer;

import io.statestore.broker.conformance.TestedServer.Difference;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Recipients of notifications and the end of watches (section 6). */
interface WatchRules extends ConformanceContext {

	@Test
	default void keynotifyTwiceNotifiesOnce() {
		StoreClient client = newClient();
		String key = unique("k");
		client.watch(key);
		client.watch(key);
		client.call("SET", key, "v");

		assertThat(client.notifications(key)).hasSize(1);
	}

	@Test
	default void stopEndsNotifications() {
		StoreClient client = newClient();
		String key = unique("k");
		client.watch(key);
		client.call("KEYNOTIFY", key, "STOP");
		client.call("SET", key, "v");

		assertThat(client.notifications(key)).isEmpty();
	}

	@Test
	default void stopEndsOnlyOwnWatchOfThatKey() {
		StoreClient client = newClient();
		StoreClient other = newClient();
		String one = unique("k");
		String two = unique("k");
		client.watch(one);
		client.watch(two);
		other.watch(one);
		client.call("KEYNOTIFY", one, "STOP");
		client.call("SET", one, "v");
		client.call("SET", two, "v");

		assertThat(client.notifications(two)).hasSize(1);
		assertThat(client.notifications(one)).isEmpty();
		assertThat(other.notifications(one)).hasSize(1);
	}

	@Test
	default void notifiesClientThatNeverSubscribed() {
		StoreClient client = newClient();
		String key = unique("k");
		client.call("KEYNOTIFY", key);
		client.call("SET", key, "v");

		if (differs(Difference.NEEDS_A_SUBSCRIPTION)) {
			assertThat(client.notifications(key)).isEmpty();
		}
		else {
			assertThat(Resp.text(client.notification(key))).endsWith("$1⏎v⏎");
			assertThat(client.notifications(key)).isEmpty();
		}
	}

	@Test
	default void notifiesSubscribedClientOnce() {
		StoreClient client = newClient();
		String key = unique("k");
		client.watch(key);
		client.mqtt().subscribe(client.notificationTopic(key));
		client.call("SET", key, "v");

		// MQTT permits one delivery per client subscription.
		if (differs(Difference.NEEDS_A_SUBSCRIPTION)) {
			assertThat(client.notifications(key)).isNotEmpty();
		}
		else {
			assertThat(client.notifications(key)).hasSize(1);
		}
	}

	@Test
	default void notifiesClientAfterUnsubscribe() {
		StoreClient client = newClient();
		String key = unique("k");
		client.watch(key);
		client.mqtt().unsubscribe(client.notificationFilter());
		client.call("SET", key, "v");

		assertThat(client.notifications(key)).hasSize(differs(Difference.NEEDS_A_SUBSCRIPTION) ? 0 : 1);
	}

	@Test
	default void otherClientsCannotReadNotifications() {
		StoreClient client = newClient();
		StoreClient curious = newClient();
		String key = unique("k");
		for (String filter : new String[] { "#", "clients/#", client.notificationFilter(),
				client.notificationTopic(key) }) {
			curious.mqtt().subscribe(filter);
		}
		client.watch(key);
		client.call("SET", key, "v");
		assertThat(client.notifications(key)).hasSize(1);
		curious.fence();

		assertThat(curious.mqtt().messages((message) -> message.topic.equals(client.notificationTopic(key))).isEmpty())
			.isEqualTo(!differs(Difference.OTHERS_CAN_READ_ALONG));
	}

	@Test
	default void watchEndsWithDisconnect() {
		anWatchEndsWith(StoreClient::close);
	}

	@Test
	default void watchEndsWithLostConnection() {
		anWatchEndsWith((client) -> client.mqtt().drop());
	}

	private void anWatchEndsWith(Consumer<StoreClient> end) {
		String clientId = unique("c");
		String key = unique("k");
		StoreClient client = newClient(clientId, true, 300);
		client.watch(key);
		end.accept(client);

		StoreClient returned = newClient(clientId, false, 300);
		assertThat(returned.mqtt().sessionPresent()).isTrue();
		newClient().call("SET", key, "v");

		assertThat(returned.notifications(key)).hasSize(differs(Difference.ENDS_OF_CONNECTIONS_ARE_INVISIBLE) ? 1 : 0);
	}

	@Test
	default void watchEndsWithTakeover() {
		String clientId = unique("c");
		String key = unique("k");
		StoreClient client = newClient(clientId, true, 300);
		client.watch(key);

		StoreClient takingOver = newClient(clientId, false, 300);
		client.mqtt().awaitEnd();
		newClient().call("SET", key, "v");

		assertThat(takingOver.mqtt().sessionPresent()).isTrue();
		assertThat(takingOver.notifications(key))
			.hasSize(differs(Difference.ENDS_OF_CONNECTIONS_ARE_INVISIBLE) ? 1 : 0);
	}

	@Test
	default void watchAfterTakeoverContinues() {
		String clientId = unique("c");
		String key = unique("k");
		StoreClient client = newClient(clientId, true, 300);
		client.watch(key);
		StoreClient takingOver = newClient(clientId, false, 300);
		takingOver.watch(key);
		client.mqtt().awaitEnd();
		newClient().call("SET", key, "v");

		assertThat(takingOver.notifications(key)).hasSize(1);
	}

	@Test
	default void queuesNothingForDisconnectedClient() {
		String clientId = unique("c");
		String key = unique("k");
		StoreClient client = newClient(clientId, true, 300);
		client.watch(key);
		client.close();
		newClient().call("SET", key, "v");

		StoreClient returned = newClient(clientId, false, 300);

		assertThat(returned.mqtt().sessionPresent()).isTrue();
		assertThat(returned.notifications(key)).hasSize(differs(Difference.ENDS_OF_CONNECTIONS_ARE_INVISIBLE) ? 1 : 0);
	}

	@Test
	default void watchAfterReconnectContinues() {
		String clientId = unique("c");
		String key = unique("k");
		StoreClient client = newClient(clientId, true, 0);
		client.watch(key);
		client.mqtt().drop();
		StoreClient returned = newClient(clientId, true, 0);
		returned.watch(key);
		newClient().call("SET", key, "v");

		assertThat(returned.notifications(key)).hasSize(1);
	}

	@Test
	default void recreatedKeyIsStillWatched() {
		StoreClient client = newClient();
		String key = unique("k");
		client.watch(key);
		client.call("SET", key, "1");
		client.call("DEL", key);
		client.call("SET", key, "2");

		assertThat(client.notifications(key)).hasSize(3);
	}

	@Test
	default void servesOrdinaryTopics() {
		StoreClient one = newClient();
		StoreClient two = newClient();
		String topic = unique("plain/");
		two.mqtt().subscribe(topic);

		int id = one.mqtt().send(RawPublish.of((publish) -> {
			publish.topic = topic;
			publish.payload = Resp.bytes("hello");
		}));

		assertThat(one.mqtt().puback(id)).isLessThan(0x80);
		assertThat(two.mqtt().take((message) -> message.topic.equals(topic), "message").payload)
			.isEqualTo(Resp.bytes("hello"));
	}

	@Test
	default void refusesPublishToNotificationTopics() {
		StoreClient victim = newClient();
		StoreClient forger = newClient();
		String key = unique("k");
		victim.watch(key);

		forger.mqtt().send(RawPublish.of((publish) -> {
			publish.topic = victim.notificationTopic(key);
			publish.payload = Resp.raw("*2⏎$6⏎NOTIFY⏎$6⏎DELETE⏎");
		}));
		StoreClient other = newClient();
		other.fence();

		assertThat(victim.notifications(key).isEmpty()).isEqualTo(!differs(Difference.OTHERS_CAN_READ_ALONG));
	}

}
