package io.statestore.client;

import java.util.Arrays;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.statestore.client.CommandInvoker.Response;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@Timeout(20)
class StateStoreTemplateFailureTests {

	private static final Version VERSION = new Version(1, 0, "StateStore");

	private final InMemoryStateStore store = new InMemoryStateStore();

	private final StateStoreTemplate template = new StateStoreTemplate(this.store);

	@AfterEach
	void clearInterruptFlag() {
		Thread.interrupted();
	}

	static StateStoreException[] failures() throws InterruptedException {
		StateStoreException[] result = new StateStoreException[5];
		// Created on another thread, as the failures of a connection are.
		Thread connection = new Thread(() -> {
			result[0] = new StateStoreNotSentException("expected");
			result[1] = new StateStoreOutcomeUnknownException("expected");
			result[2] = new StateStoreRefusedException(ErrorReason.QUOTA_EXCEEDED, "expected");
			result[3] = new StateStoreException("expected");
			result[4] = new ForeignException();
		});
		connection.start();
		connection.join();
		return result;
	}

	@ParameterizedTest
	@MethodSource("failures")
	void throwsFailureWithStackTraceOfCaller(StateStoreException failure) {
		this.store.answer(new CompletionException(failure));
		assertThatExceptionOfType(StateStoreException.class).isThrownBy(() -> this.template.set("key", "value"))
			.isExactlyInstanceOf(failure.getClass())
			.withMessage("expected")
			.satisfies((thrown) -> {
				if (failure instanceof ForeignException) {
					assertThat(thrown).isSameAs(failure);
				}
				else {
					assertThat(thrown).hasCause(failure);
					assertThat(thrown.getStackTrace()).extracting(StackTraceElement::getClassName)
						.contains(StateStoreTemplateFailureTests.class.getName());
				}
			});
	}

	@Test
	void keepsRefusalReason() {
		this.store.answer(new StateStoreRefusedException(ErrorReason.QUOTA_EXCEEDED, "full"));
		assertThatExceptionOfType(StateStoreRefusedException.class).isThrownBy(() -> this.template.set("key", "value"))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(ErrorReason.QUOTA_EXCEEDED));
	}

	@ParameterizedTest
	@MethodSource("failures")
	void failsFutureWithUnwrappedException(StateStoreException failure) {
		this.store.answer(CompletableFuture.supplyAsync(() -> {
			throw failure;
		}));
		CompletableFuture<Throwable> seen = new CompletableFuture<>();
		this.template.async().set("key", "value").whenComplete((result, ex) -> seen.complete(ex));
		assertThat(seen.join()).isSameAs(failure);
	}

	@Test
	void reportsUnknownOutcomeAfterUnexpectedFailure() {
		this.store.answer(new IllegalStateException("a defect"));
		assertThatExceptionOfType(StateStoreOutcomeUnknownException.class).isThrownBy(() -> this.template.delete("key"))
			.withMessage("DEL of key 'key' failed unexpectedly (java.lang.IllegalStateException)")
			.withStackTraceContaining("a defect");
	}

	@Test
	void interruptEndsWaitAndKeepsFlag() throws InterruptedException {
		CompletableFuture<Response> reply = new CompletableFuture<>();
		this.store.answer(reply);
		CompletableFuture<Throwable> thrown = new CompletableFuture<>();
		CompletableFuture<Boolean> flag = new CompletableFuture<>();
		Thread caller = new Thread(() -> {
			try {
				this.template.deleteIfEquals("key", "value");
			}
			catch (Throwable ex) {
				flag.complete(Thread.currentThread().isInterrupted());
				thrown.complete(ex);
			}
		});
		caller.start();
		await().until(() -> caller.getState() == Thread.State.WAITING);
		caller.interrupt();
		caller.join();
		assertThat(thrown.join()).isInstanceOf(StateStoreOutcomeUnknownException.class)
			.hasMessageContaining("VDEL of key 'key'")
			.hasCauseInstanceOf(InterruptedException.class);
		assertThat(flag.join()).isTrue();
		assertThat(reply).isCancelled();
	}

	@Test
	void interruptedThreadSendsNothing() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(StateStoreNotSentException.class).isThrownBy(() -> this.template.set("key", "value"))
			.withMessageContaining("SET of key 'key' was not sent")
			.withMessageContaining("interrupted");
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		assertThat(this.store.commands).isEmpty();
	}

	@Test
	void cancelsCallWithFuture() {
		CompletableFuture<Response> reply = new CompletableFuture<>();
		this.store.answer(reply);
		CompletableFuture<SetResult> result = this.template.async().set("key", "value");
		assertThat(reply).isNotDone();
		result.cancel(true);
		assertThat(reply).isCancelled();
		assertThatExceptionOfType(CancellationException.class).isThrownBy(result::join);
	}

	@Test
	void completesFutureWithReply() {
		CompletableFuture<Response> reply = new CompletableFuture<>();
		this.store.answer(reply);
		CompletableFuture<SetResult> result = this.template.async().set("key", "value");
		assertThat(result).isNotDone();
		reply.complete(new Response(new Reply.Ok(), VERSION));
		assertThat(result).isCompletedWithValue(new SetResult(true, VERSION));
	}

	@Test
	void failsWhenReplyIsCanceled() {
		CompletableFuture<Response> reply = new CompletableFuture<>();
		reply.cancel(true);
		this.store.answer(reply);
		assertThatExceptionOfType(StateStoreOutcomeUnknownException.class)
			.isThrownBy(() -> this.template.set("key", "value"));
		assertThat(this.template.async().set("key", "value")).isCompletedExceptionally();
	}

	@Test
	void refusesUnexpectedReply() {
		for (Reply reply : Arrays.asList(new Reply.Ok(), new Reply.Count(7), new Reply.Page(Arrays.asList(), null),
				new Reply.Error(ErrorReason.SYNTAX_ERROR))) {
			this.store.answer(reply, VERSION);
			assertThatExceptionOfType(StateStoreException.class)
				.isThrownBy(() -> this.template.get("key", String.class))
				.isExactlyInstanceOf(StateStoreException.class)
				.withMessage("The reply to GET of key 'key' is a " + reply.getClass().getSimpleName()
						+ ", which is not a valid reply to this command. Check that the server at this broker is a state store");
		}
		this.store.answer(new Reply.Ok(), VERSION);
		assertThatExceptionOfType(StateStoreException.class).isThrownBy(() -> this.template.scan("*").iterator().next())
			.withMessageContaining("SCAN");
	}

	@Test
	void reportsUnknownOutcomeAfterUnexpectedReplyToWrite() {
		this.store.answer(new Reply.Value(Bytes.of("secret")), VERSION);
		assertThatExceptionOfType(StateStoreOutcomeUnknownException.class)
			.isThrownBy(() -> this.template.set("key", "value"))
			.withMessageContaining("SET of key 'key' is a Value")
			.satisfies((ex) -> assertThat(ex.toString()).doesNotContain("secret"));
		assertThatExceptionOfType(StateStoreOutcomeUnknownException.class)
			.isThrownBy(() -> this.template.delete("key"));
		assertThatExceptionOfType(StateStoreOutcomeUnknownException.class)
			.isThrownBy(() -> this.template.deleteIfEquals("key", "value"));
		this.store.answer(Reply.Count.NOT_APPLIED, VERSION);
		assertThatExceptionOfType(StateStoreOutcomeUnknownException.class)
			.isThrownBy(() -> this.template.delete("key"));
	}

	@Test
	void refusesReplyWithoutVersion() {
		this.store.answer(new Reply.Value(Bytes.of("value")), null);
		assertThatExceptionOfType(StateStoreException.class).isThrownBy(() -> this.template.get("key", String.class))
			.withMessageContaining("GET of key 'key' came without a version (user property __ts)");
		this.store.answer(new Reply.Ok(), null);
		assertThatExceptionOfType(StateStoreOutcomeUnknownException.class)
			.isThrownBy(() -> this.template.set("key", "value"))
			.withMessageContaining("__ts");
	}

	private static final class ForeignException extends StateStoreException {

		private static final long serialVersionUID = 1L;

		private ForeignException() {
			super("expected");
		}

	}

}
