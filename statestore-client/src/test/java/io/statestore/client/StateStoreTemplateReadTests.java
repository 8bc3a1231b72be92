package io.statestore.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;

import io.statestore.client.json.JacksonValueConverter;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.time.TimeSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.core.ParameterizedTypeReference;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@Timeout(20)
class StateStoreTemplateReadTests {

	private static final ParameterizedTypeReference<List<Integer>> INTEGERS = new ParameterizedTypeReference<>() {
	};

	private final InMemoryStateStore store = new InMemoryStateStore();

	private final StateStoreOperations template = new StateStoreTemplate(this.store,
			new JacksonValueConverter(JsonMapper.builder().build()));

	private final StateStoreAsyncOperations async = this.template.async();

	@Test
	void getsValueWithoutVersion() {
		this.template.set("key", "value");
		this.template.set("list", List.of(1, 2));
		assertThat(this.template.getValue("key", String.class)).contains("value");
		assertThat(this.template.getValue(Key.of("key"), String.class)).contains("value");
		assertThat(this.template.getValue("list", INTEGERS)).contains(List.of(1, 2));
		assertThat(this.template.getValue("absent", String.class)).isEmpty();
		assertThat(this.async.getValue("key", String.class)).isCompletedWithValue(Optional.of("value"));
		assertThat(this.async.getValue("list", INTEGERS)).isCompletedWithValue(Optional.of(List.of(1, 2)));
		assertThat(this.async.getValue(Key.of("absent"), String.class)).isCompletedWithValue(Optional.empty());
	}

	@Test
	void returnsWhetherKeyExists() {
		this.template.set("key", "");
		assertThat(this.template.exists("key")).isTrue();
		assertThat(this.template.exists(Key.of("absent"))).isFalse();
		assertThat(this.async.exists(Key.of("key"))).isCompletedWithValue(true);
		assertThat(this.async.exists("absent")).isCompletedWithValue(false);
	}

	@Test
	void failsValueFutureWithUnwrappedException() {
		StateStoreNotSentException failure = new StateStoreNotSentException("expected");
		this.store.answer(failure);
		List<Throwable> seen = new ArrayList<>();
		this.async.getValue("key", String.class).whenComplete((value, ex) -> seen.add(ex));
		this.async.exists("key").whenComplete((value, ex) -> seen.add(ex));
		this.async.getAll(List.of("key"), String.class).whenComplete((value, ex) -> seen.add(ex));
		assertThat(seen).containsExactly(failure, failure, failure);
	}

	@Test
	void getsAllEntriesInOrderWithoutMissing() {
		this.template.set("c", "3");
		this.template.set("a", "1");
		Map<String, Entry<String>> entries = this.template.getAll(List.of("c", "b", "a", "c"), String.class);
		assertThat(entries.keySet()).containsExactly("c", "a");
		assertThat(entries).containsEntry("a", this.template.get("a", String.class).orElseThrow());
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(entries::clear);
		Map<Key, Entry<String>> byKey = this.template.getAll(this.template.scan("*"), String.class);
		assertThat(byKey.keySet()).containsExactly(Key.of("a"), Key.of("c"));
		assertThat(this.async.getAll(List.of("c", "b", "a"), String.class).join()).isEqualTo(entries);
		assertThat(this.async.getAll(List.of(Key.of("a"), Key.of("c")), String.class).join()).isEqualTo(byKey);
	}

	@Test
	void getsAllEntriesOfGenericType() {
		this.template.set("list", List.of(1, 2));
		assertThat(this.template.getAll(List.of("list"), INTEGERS).values()).extracting(Entry::value)
			.containsExactly(List.of(1, 2));
		assertThat(this.template.getAll(List.of(Key.of("list")), INTEGERS)).hasSize(1);
		assertThat(this.async.getAll(List.of("list"), INTEGERS).join()).hasSize(1);
	}

	@Test
	void sendsNothingForNoKeys() {
		assertThat(this.template.getAll(List.<String>of(), String.class)).isEmpty();
		assertThat(this.async.getAll(List.<Key>of(), String.class).join()).isEmpty();
		assertThat(this.store.commands).isEmpty();
	}

	@Test
	void getsManyKeysFromSynchronousStore() {
		List<String> keys = IntStream.range(0, 20_000).mapToObj(String::valueOf).toList();
		keys.forEach((key) -> this.template.set(key, key));
		assertThat(this.template.getAll(keys, String.class).keySet()).containsExactlyElementsOf(keys);
	}

	@Test
	void sendsAllGetsWithoutWaitingForReplies() {
		Pending pending = new Pending(Limits.of(10_000));
		CompletableFuture<Map<String, Entry<String>>> entries = pending.getAll(100);
		assertThat(pending.replies).hasSize(100);
		pending.replies.forEach(Pending::answerMissing);
		assertThat(entries.join()).isEmpty();
	}

	@Test
	void usesAtMostQuarterOfPendingCalls() {
		Pending pending = new Pending(Limits.of(40));
		CompletableFuture<Map<String, Entry<String>>> entries = pending.getAll(100);
		assertThat(pending.replies).hasSize(10);
		for (int i = 0; i < 100; i++) {
			Pending.answerMissing(pending.replies.get(i));
		}
		assertThat(entries).isCompleted();
	}

	@Test
	void cancelsRemainingGetsAfterFailure() {
		Pending pending = new Pending(Limits.of(10_000));
		CompletableFuture<Map<String, Entry<String>>> entries = pending.getAll(3);
		StateStoreNotSentException failure = new StateStoreNotSentException("no room");
		pending.replies.get(1).completeExceptionally(failure);
		assertThat(entries).isCompletedExceptionally();
		assertThat(pending.replies.get(0)).isCancelled();
		assertThat(pending.replies.get(2)).isCancelled();
	}

	@Test
	void cancelsGetsWithResult() {
		Pending pending = new Pending(Limits.of(8));
		pending.getAll(5).cancel(true);
		assertThat(pending.replies).hasSize(2).allMatch(CompletableFuture::isCancelled);
	}

	@Test
	void sharesOneDeadlineAmongAllGets() {
		Pending pending = new Pending(Limits.of(4));
		CompletableFuture<Map<String, Entry<String>>> entries = pending.getAll(3, Duration.ofSeconds(1));
		pending.nanoTime += Duration.ofMillis(100).toNanos();
		Pending.answerMissing(pending.replies.get(0));
		assertThat(pending.timeouts).containsExactly(Duration.ofSeconds(1), Duration.ofMillis(900));
		pending.nanoTime += Duration.ofMillis(900).toNanos();
		Pending.answerMissing(pending.replies.get(1));
		assertThatExceptionOfType(StateStoreOutcomeUnknownException.class).isThrownBy(() -> {
			try {
				entries.join();
			}
			catch (CompletionException ex) {
				throw ex.getCause();
			}
		}).withMessageContaining("2 of 3 keys were read within 1000 ms").withMessageContaining("withTimeout");
	}

	@Test
	void usesConnectionTimeoutForAllGets() {
		Pending pending = new Pending(new CommandInvoker.Limits(100, Duration.ofSeconds(3)));
		pending.getAll(1);
		assertThat(pending.timeouts.get(0)).isEqualTo(Duration.ofSeconds(3));
	}

	@Test
	@SuppressWarnings("NullAway")
	void refusesMissingArguments() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.getAll((Iterable<Key>) null, String.class))
			.withMessage("'keys' must not be null");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.template.getAll(Arrays.asList("a", null), String.class))
			.withMessage("'key' must not be null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.getAll(List.of("a"), (Class<String>) null))
			.withMessage("'type' must not be null");
		assertThat(this.store.commands).isEmpty();
	}

	@Test
	void refusesToWatchPatternWithoutWatcher() {
		assertThatIllegalStateException().isThrownBy(() -> this.template.watch("machines/*", String.class, (change) -> {
		})).withMessageContaining("cannot watch key 'machines/*'").withMessageContaining("KeyWatches");
	}

	private static final class Limits {

		private static CommandInvoker.Limits of(int maxPending) {
			return new CommandInvoker.Limits(maxPending, Duration.ofSeconds(10));
		}

	}

	/** A store whose replies and clock the test controls. */
	private static final class Pending implements CommandInvoker {

		private final List<CompletableFuture<Response>> replies = new ArrayList<>();

		private final List<Duration> timeouts = new ArrayList<>();

		private final CommandInvoker.Limits limits;

		private long nanoTime = 1;

		private Pending(CommandInvoker.Limits limits) {
			this.limits = limits;
		}

		private CompletableFuture<Map<String, Entry<String>>> getAll(int count) {
			return getAll(new StateStoreTemplate(this).async(), count);
		}

		private CompletableFuture<Map<String, Entry<String>>> getAll(int count, Duration timeout) {
			return getAll(new StateStoreTemplate(this).withTimeout(timeout).async(), count);
		}

		private static CompletableFuture<Map<String, Entry<String>>> getAll(StateStoreAsyncOperations operations,
				int count) {
			return operations.getAll(IntStream.range(0, count).mapToObj(String::valueOf).toList(), String.class);
		}

		private static void answerMissing(CompletableFuture<Response> reply) {
			reply.complete(new Response(new Reply.Missing(), null));
		}

		@Override
		public CompletableFuture<Response> invoke(Command command, Options options) {
			CompletableFuture<Response> reply = new CompletableFuture<>();
			this.replies.add(reply);
			this.timeouts.add(Objects.requireNonNull(options.timeout()));
			return reply;
		}

		@Override
		public CommandInvoker.Limits limits() {
			return this.limits;
		}

		@Override
		public TimeSource time() {
			return () -> this.nanoTime;
		}

	}

}
