package io.statestore.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.InvalidOptionException;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.NotEmpty;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Key prefix of a template. */
class KeyPrefixTests {

	private final InMemoryStateStore store = new InMemoryStateStore().pageSize(3);

	private final StateStoreTemplate plain = new StateStoreTemplate(this.store);

	private final StateStoreTemplate template = this.plain.withKeyPrefix("line-1/");

	@Test
	void appliesToAllCommands() {
		this.template.set("key", "value");
		assertThat(this.plain.getValue("line-1/key", String.class)).contains("value");
		assertThat(this.template.get("key", String.class).orElseThrow().key()).isEqualTo(Key.of("key"));
		this.plain.set("other", "value");
		assertThat(this.template.get("other", String.class)).isEmpty();
		Map<Key, Entry<String>> all = this.template.getAll(List.of(Key.of("key"), Key.of("other")), String.class);
		assertThat(all).containsOnlyKeys(Key.of("key"));
		assertThat(this.template.deleteIfEquals("key", "another").deleted()).isFalse();
		assertThat(this.template.deleteIfEquals("key", "value").deleted()).isTrue();
		this.template.async().set("key", "again").join();
		assertThat(this.template.delete("other").deleted()).isFalse();
		assertThat(this.template.delete("key").deleted()).isTrue();
		assertThat(this.plain.scan("*").stream()).containsExactly(Key.of("other"));
		assertThat(this.store.commands).filteredOn(Command.Write.class::isInstance)
			.extracting((command) -> ((Command.Write) command).key().toUtf8())
			.containsOnly("line-1/key", "line-1/other", "other");
	}

	@Test
	void scanReturnsKeysWithoutPrefix() {
		List.of("line-1/a", "line-1/b", "line-1/c", "line-1/d", "line-1/", "line-10/a", "a")
			.forEach((key) -> this.plain.set(key, "value"));
		assertThat(this.template.scan("*").stream()).containsExactlyInAnyOrder(Key.of("a"), Key.of("b"), Key.of("c"),
				Key.of("d"));
		assertThat(this.template.scan("[ab]").stream()).containsExactlyInAnyOrder(Key.of("a"), Key.of("b"));
		assertThat(this.template.async().scan("a").join().keys()).containsExactly(Key.of("a"));
	}

	@Test
	void appliesToViewsAndCanBeReplaced() {
		FencingToken token = new FencingToken(new Version(1_700_000_000_000L, 0, "StateStore"));
		this.template.fencedBy(token).set("fenced", "value");
		this.template.withDefaultExpiry(null).withTimeout(Duration.ofSeconds(1)).set("timed", "value");
		assertThat(this.plain.scan("line-1/*").stream()).hasSize(2);
		assertThat(this.template.keyPrefix()).isEqualTo("line-1/");
		StateStoreTemplate replaced = this.template.withKeyPrefix("line-2/");
		replaced.set("key", "value");
		assertThat(this.plain.get("line-2/key", String.class)).isPresent();
		assertThat(this.template.withKeyPrefix("").keyPrefix()).isEmpty();
		assertThat(this.template.withKeyPrefix("").get("line-2/key", String.class)).isPresent();
	}

	@Test
	void failuresShowKeyWithPrefix() {
		this.store.answer(new Reply.Ok(), null);
		assertThatExceptionOfType(StateStoreException.class).isThrownBy(() -> this.template.set("key", "value"))
			.withMessageContaining("'line-1/key'");
	}

	@Test
	void appliesToWatches() throws Exception {
		RecordingWatcher watcher = new RecordingWatcher(this.store);
		StateStoreTemplate watching = new StateStoreTemplate(this.store, null, watcher).withKeyPrefix("line-1/");
		AtomicReference<KeyChange<String>> received = new AtomicReference<>();
		AtomicReference<KeyChange<Bytes>> failed = new AtomicReference<>();
		KeyWatch watch = watching.async()
			.watch(Key.of("key"), String.class, (spec) -> spec.onError((id, change, failure) -> failed.set(change)),
					received::set);
		assertThat(watcher.key).isEqualTo(Key.of("line-1/key"));
		assertThat(watch.key()).isEqualTo(Key.of("key"));
		KeyChange<Bytes> change = new KeyChange<>(Key.of("line-1/key"), Operation.SET, Bytes.of("value"),
				new Version(1, 0, "n"), false);
		watcher.deliver(change);
		assertThat(received.get())
			.isEqualTo(new KeyChange<>(Key.of("key"), Operation.SET, "value", change.version(), false));
		watcher.fail(change);
		assertThat(failed.get()).extracting(KeyChange::key).isEqualTo(Key.of("key"));
		watching.withKeyPrefix("").async().watch(Key.of("key"), String.class, (spec) -> {
		}, received::set);
		assertThat(watcher.key).isEqualTo(Key.of("key"));
	}

	@ParameterizedTest
	@ValueSource(strings = { " ", "a*", "a?", "a[", "a\n", "\uD800" })
	void refusesInvalidPrefix(String prefix) {
		assertThatExceptionOfType(InvalidOptionException.class).isThrownBy(() -> this.plain.withKeyPrefix(prefix))
			.withMessageContaining(
					"'keyPrefix' must be empty or have up to 256 printable characters, without *, ? and [");
	}

	@Property(tries = 200)
	void storedKeyMapsBackToSameLocalKey(@ForAll @NotEmpty byte[] key, @ForAll @NotEmpty byte[] foreign) {
		KeyPrefix prefix = KeyPrefix.of("p-\u00e4/");
		assertThat(prefix.local(prefix.stored(Key.of(key)).bytes())).isEqualTo(Key.of(key));
		Key local = prefix.local(Bytes.copyOf(foreign));
		assertThat(local == null || prefix.stored(local).equals(Key.of(foreign))).isTrue();
	}

	/** Watcher that passes on what a test delivers. */
	private static final class RecordingWatcher implements KeyWatcher {

		private final CommandInvoker invoker;

		private @Nullable Key key;

		private @Nullable Settings settings;

		private @Nullable KeyChangeListener<Bytes> listener;

		RecordingWatcher(CommandInvoker invoker) {
			this.invoker = invoker;
		}

		@Override
		public KeyWatch watch(Key key, Settings settings, KeyChangeListener<Bytes> listener) {
			this.key = key;
			this.settings = settings;
			this.listener = listener;
			return new StoppedWatch(key);
		}

		@Override
		public CommandInvoker tracking(CommandInvoker invoker) {
			return this.invoker;
		}

		void deliver(KeyChange<Bytes> change) throws Exception {
			Objects.requireNonNull(this.listener).onChange(change);
		}

		void fail(KeyChange<Bytes> change) {
			Objects.requireNonNull(Objects.requireNonNull(this.settings).errorHandler())
				.handleError("id", change, new IllegalStateException());
		}

	}

	/** Watch that has not started. */
	private record StoppedWatch(Key key) implements KeyWatch {

		@Override
		public CompletableFuture<Void> started() {
			return new CompletableFuture<>();
		}

		@Override
		public boolean awaitStarted(Duration timeout) {
			return false;
		}

		@Override
		public boolean isActive() {
			return false;
		}

		@Override
		public CompletableFuture<Void> closeAsync() {
			return CompletableFuture.completedFuture(null);
		}

	}

}
