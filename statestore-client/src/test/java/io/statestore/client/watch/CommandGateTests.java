package io.statestore.client.watch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.client.CommandInvoker;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CommandGateTests {

	private final List<Command> sent = new ArrayList<>();

	private final List<CompletableFuture<Response>> replies = new ArrayList<>();

	private final AtomicInteger answered = new AtomicInteger();

	private final CommandGate gate = new CommandGate((command, options) -> {
		this.sent.add(command);
		CompletableFuture<Response> reply = new CompletableFuture<>();
		this.replies.add(reply);
		return reply;
	}, 2);

	private static Command notify(int key) {
		return new Command.KeyNotify(Bytes.of("key" + key));
	}

	private void submit(Command command) {
		this.gate.submit(command, (response, failure) -> this.answered.incrementAndGet());
	}

	private void reply(int index) {
		this.replies.get(index).complete(new Response(new Reply.Ok(), null));
	}

	@Test
	void keepsCommandsInFlightWithinLimit() {
		for (int i = 0; i < 4; i++) {
			submit(notify(i));
		}
		assertThat(this.sent).containsExactly(notify(0), notify(1));
		reply(1);
		assertThat(this.sent).containsExactly(notify(0), notify(1), notify(2));
		this.replies.get(0).completeExceptionally(new StateStoreNotSentException("refused"));
		assertThat(this.sent).hasSize(4);
		assertThat(this.answered).hasValue(2);
	}

	@Test
	void sendsGetBeforeWaitingKeyNotify() {
		for (int i = 0; i < 3; i++) {
			submit(notify(i));
		}
		Command get = new Command.Get(Bytes.of("key0"));
		submit(get);
		reply(0);
		assertThat(this.sent).containsExactly(notify(0), notify(1), get);
	}

	@Test
	void sendsUrgentCommandBeyondLimit() {
		for (int i = 0; i < 3; i++) {
			submit(notify(i));
		}
		this.gate.submitUrgently(notify(9), (response, failure) -> this.answered.incrementAndGet());
		assertThat(this.sent).containsExactly(notify(0), notify(1), notify(9));
		reply(2);
		assertThat(this.answered).hasValue(1);
		assertThat(this.sent).hasSize(3);
	}

	@Test
	void dropsWaitingCommandsOnClear() {
		for (int i = 0; i < 3; i++) {
			submit(notify(i));
		}
		this.gate.clear();
		reply(0);
		assertThat(this.sent).hasSize(2);
		submit(notify(4));
		assertThat(this.sent).last().isEqualTo(notify(4));
	}

	@Test
	void cancelsCommandsInFlightOnClear() {
		submit(new Command.KeyNotifyStop(Bytes.of("key0")));
		this.gate.submitUrgently(notify(1), (response, failure) -> this.answered.incrementAndGet());
		this.gate.clear();
		assertThat(this.replies).hasSize(2).allMatch(CompletableFuture::isCancelled);
		assertThat(this.answered).hasValue(0);
		submit(notify(2));
		reply(2);
		assertThat(this.answered).hasValue(1);
	}

	@Test
	void survivesThousandsOfImmediateFailures() {
		CommandInvoker failing = (command, options) -> {
			throw new IllegalStateException("stopped");
		};
		CommandGate gate = new CommandGate(failing, 2);
		for (int i = 0; i < 100; i++) {
			gate.submit(notify(i), (response, failure) -> {
				for (int j = 0; this.answered.incrementAndGet() < 20_000 && j < 2; j++) {
					gate.submit(notify(j), (nextResponse, nextFailure) -> this.answered.incrementAndGet());
				}
			});
		}
		assertThat(this.answered).hasValueGreaterThan(200);
	}

	@Test
	void usesAtMostQuarterOfPendingCalls() {
		List<Command> sent = new ArrayList<>();
		CommandGate gate = new CommandGate(new CommandInvoker() {

			@Override
			public CompletableFuture<Response> invoke(Command command, Options options) {
				sent.add(command);
				return new CompletableFuture<>();
			}

			@Override
			public Limits limits() {
				return new Limits(40, Limits.DEFAULT.timeout());
			}

		});
		for (int i = 0; i < 100; i++) {
			gate.submit(notify(i), (response, failure) -> {
			});
		}
		assertThat(sent).hasSize(10);
	}

}
