package io.statestore.dafka.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

/** Commands that run until a signal arrives or their node fails. */
@Timeout(60)
class StopTests {

	@Test
	void reportsNodeFailureWithExitCode() {
		StringWriter err = new StringWriter();
		int code = new CommandLine(new Node()).setErr(new PrintWriter(err, true)).execute();
		assertThat(code).isEqualTo(Messages.FAILED);
		assertThat(err.toString())
			.isEqualToIgnoringNewLines("The tower failed; start it again: " + "java.lang.OutOfMemoryError: no memory");
	}

	@Command
	static class Node implements Callable<Integer> {

		private final AtomicInteger asked = new AtomicInteger();

		@Mixin
		private Messages messages = new Messages();

		@Override
		public Integer call() {
			try (Stop stop = Stop.onSignals()) {
				return stop.awaitEnd("tower",
						() -> (this.asked.incrementAndGet() < 3) ? null : new OutOfMemoryError("no memory"),
						this.messages);
			}
		}

	}

}
