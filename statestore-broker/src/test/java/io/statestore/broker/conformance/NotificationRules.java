package io.statestore.broker.conformance;

import java.util.ArrayList;
import java.util.List;

import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The content and order of notifications (section 6). */
interface NotificationRules extends ConformanceContext {

	@Test
	default void notifiesSetWithValueAndVersion() {
		StoreClient watcher = newClient();
		StoreClient writer = newClient();
		String key = unique("k");
		watcher.watch(key);

		Hlc version = Hlc.of(writer.call("SET", key, "value"));

		RawPublish notification = watcher.notification(key);
		assertThat(notification.payload).isEqualTo(Resp.raw("*4⏎$6⏎NOTIFY⏎$3⏎SET⏎$5⏎VALUE⏎$5⏎value⏎"));
		assertThat(Hlc.of(notification)).isEqualTo(version);
		assertThat(notification.qos).isEqualTo(1);
		assertThat(notification.correlationData).isNull();
		assertThat(notification.responseTopic).isNull();
	}

	@Test
	default void notifiesDeletionWithVersion() {
		StoreClient watcher = newClient();
		StoreClient writer = newClient();
		String one = unique("k");
		String two = unique("k");
		writer.call("SET", one, "v");
		writer.call("SET", two, "v");
		watcher.watch(one);
		watcher.watch(two);

		Hlc deleted = Hlc.of(writer.call("DEL", one));
		Hlc vdeleted = Hlc.of(writer.call("VDEL", two, "v"));

		RawPublish first = watcher.notification(one);
		RawPublish second = watcher.notification(two);
		assertThat(first.payload).isEqualTo(Resp.raw(deletion()));
		assertThat(second.payload).isEqualTo(Resp.raw(deletion()));
		assertThat(List.of(Hlc.of(first), Hlc.of(second))).containsExactly(deleted, vdeleted);
	}

	@Test
	default void notifiesExpiryWithinOneSecond() {
		StoreClient watcher = newClient();
		String key = unique("k");
		watcher.watch(key);
		// A busy machine delays some notifications.
		await().until(() -> millisToExpiry(watcher, key) <= 1_250);
		assertThat(watcher.notifications(key)).as("second DELETE").isEmpty();
	}

	private long millisToExpiry(StoreClient watcher, String key) {
		long started = System.nanoTime();
		Hlc set = Hlc.of(watcher.call("SET", key, "v", "PX", "250"));
		watcher.notification(key);

		RawPublish expired = watcher.notification(key);

		long millis = (System.nanoTime() - started) / 1_000_000;
		assertThat(expired.payload).isEqualTo(Resp.raw(deletion()));
		assertThat(Hlc.of(expired)).isGreaterThan(set);
		assertThat(millis).isGreaterThanOrEqualTo(250);
		return millis;
	}

	@Test
	default void notifiesEmptyValue() {
		StoreClient client = newClient();
		String key = unique("k");
		client.watch(key);
		client.call("SET", key, "");

		assertThat(Resp.text(client.notification(key))).isEqualTo("*4⏎$6⏎NOTIFY⏎$3⏎SET⏎$5⏎VALUE⏎$0⏎⏎");
	}

	@Test
	default void topicContainsClientAndKeyInUppercaseHex() {
		StoreClient client = newClient(unique("klient-ü/"), true, 0);
		byte[] key = { 0, 10, '/', '+', '#', (byte) 0xFF, (byte) 0xAB };
		client.watch(key);
		client.call("SET", key, "v");

		RawPublish notification = client.notification(key);

		assertThat(notification.topic).isEqualTo("clients/statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8/"
				+ StoreClient.hex(client.clientId()) + "/command/notify/000A2F2B23FFAB");
		client.call("DEL", key);
	}

	@Test
	default void notifiesRenewalButNotUnappliedSet() {
		StoreClient client = newClient();
		String key = unique("k");
		client.watch(key);
		List<Hlc> versions = List.of(Hlc.of(client.call("SET", key, "v", "NEX", "PX", "60000")),
				Hlc.of(client.call("SET", key, "v", "NEX", "PX", "60000")));
		client.call("SET", key, "w", "NX");
		client.call("SET", key, "w", "NEX");
		client.call("VDEL", key, "w");

		assertThat(client.notifications(key)).extracting(Hlc::of).isEqualTo(versions);
	}

	@Test
	default void doesNotNotifyAbsentKeyDeletion() {
		StoreClient client = newClient();
		String key = unique("k");
		client.watch(key);
		client.call("DEL", key);
		client.call("VDEL", key, "v");

		assertThat(client.notifications(key)).isEmpty();
	}

	@Test
	default void notifiesSetToSameValue() {
		StoreClient client = newClient();
		String key = unique("k");
		client.call("SET", key, "v");
		client.watch(key);
		client.call("SET", key, "v");

		assertThat(client.notifications(key)).hasSize(1);
	}

	@Test
	default void watchDoesNotSendExistingValue() {
		StoreClient client = newClient();
		String key = unique("k");
		client.call("SET", key, "v");
		client.watch(key);

		assertThat(client.notifications(key)).isEmpty();
	}

	@Test
	default void notifiesWatchersOnly() {
		StoreClient first = newClient();
		StoreClient second = newClient();
		StoreClient other = newClient();
		String key = unique("k");
		first.watch(key);
		second.watch(key);
		other.watch(key + "x");

		newClient().call("SET", key, "v");

		assertThat(first.notifications(key)).hasSize(1);
		assertThat(second.notifications(key)).hasSize(1);
		assertThat(other.notifications(key)).isEmpty();
		assertThat(other.notifications(key + "x")).isEmpty();
	}

	@Test
	default void notifiesInVersionOrder() throws InterruptedException {
		StoreClient watcher = newClient();
		StoreClient[] writers = { newClient(), newClient() };
		String key = unique("k");
		watcher.watch(key);
		List<Thread> threads = new ArrayList<>();
		for (StoreClient writer : writers) {
			Thread thread = new Thread(() -> {
				for (int i = 0; i < 100; i++) {
					writer.call("SET", key, "v");
				}
			});
			thread.start();
			threads.add(thread);
		}
		for (Thread thread : threads) {
			thread.join();
		}

		List<Hlc> versions = watcher.notifications(key).stream().map(Hlc::of).toList();

		assertThat(versions).hasSize(200).isSorted().doesNotHaveDuplicates();
	}

	@Test
	default void patternNotifiesMatchingKeyChanges() {
		StoreClient watcher = newClient();
		StoreClient writer = newClient();
		String prefix = unique("p");
		watcher.mqtt().subscribe(watcher.notificationFilter());
		assertThat(Resp.text(watcher.call("PNOTIFY", prefix + "/*"))).isEqualTo("+OK⏎");
		assertThat(Resp.text(watcher.call("PNOTIFY", prefix + "/*"))).isEqualTo(":0⏎");

		Hlc set = Hlc.of(writer.call("SET", prefix + "/a", "1"));
		writer.call("SET", prefix, "1");
		Hlc replaced = Hlc.of(writer.call("REPLACE", prefix + "/a", "2", set.unpadded()));
		writer.call("REPLACE", prefix + "/a", "3", set.unpadded());
		Hlc deleted = Hlc.of(writer.call("DEL", prefix + "/a"));

		List<RawPublish> notifications = watcher.notifications(prefix + "/a");
		assertThat(notifications).extracting(Hlc::of).containsExactly(set, replaced, deleted);
		assertThat(notifications).extracting(Resp::text)
			.containsExactly("*4⏎$6⏎NOTIFY⏎$3⏎SET⏎$5⏎VALUE⏎$1⏎1⏎", "*4⏎$6⏎NOTIFY⏎$3⏎SET⏎$5⏎VALUE⏎$1⏎2⏎", deletion());
		assertThat(watcher.notifications(prefix)).isEmpty();
		assertThat(Resp.text(watcher.call("PNOTIFY", prefix + "/*", "STOP"))).isEqualTo("+OK⏎");
		writer.call("SET", prefix + "/b", "1");
		assertThat(watcher.notifications(prefix + "/b")).isEmpty();
	}

	@Test
	default void notificationPrecedesReplyToLaterCommand() {
		StoreClient watcher = newClient();
		StoreClient writer = newClient();
		String key = unique("k");
		watcher.watch(key);
		for (int i = 0; i < 20; i++) {
			writer.call("SET", key, "v" + i);
			RawPublish request = watcher.request(Resp.command("GET", key));
			watcher.mqtt().send(request);
			List<RawPublish> arrived = new ArrayList<>();
			arrived.add(watcher.mqtt().take((message) -> true, "first message"));
			arrived.add(watcher.mqtt().take((message) -> true, "second message"));
			assertThat(arrived).extracting((message) -> message.topic)
				.containsExactly(watcher.notificationTopic(key), watcher.responseTopic());
		}
	}

	@Test
	default void notifiesLargeChangesOnce() {
		StoreClient watcher = newClient();
		StoreClient writer = newClient();
		String key = unique("k");
		watcher.watch(key);
		List<RawPublish> requests = new ArrayList<>();
		for (int i = 0; i < 15; i++) {
			requests.add(writer.request(Resp.command("SET", key, new byte[200_000])));
		}
		requests.forEach(writer.mqtt()::send);
		List<Hlc> versions = requests.stream().map((request) -> Hlc.of(writer.reply(request))).toList();
		writer.fence();

		assertThat(watcher.notifications(key)).extracting(Hlc::of).isEqualTo(versions);
		assertThat(requests).allMatch((request) -> writer.repliesSoFar(request).isEmpty());
		writer.call("DEL", key);
	}

}
