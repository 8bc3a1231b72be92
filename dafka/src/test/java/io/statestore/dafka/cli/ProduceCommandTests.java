package io.statestore.dafka.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.node.internal.Node;
import io.statestore.dafka.reading.internal.Command;
import io.statestore.dafka.reading.internal.Machine;
import io.statestore.dafka.reading.internal.Subscriptions;
import io.statestore.dafka.tower.Tower;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

/** Outcomes of {@code dafka produce}. */
@Timeout(60)
class ProduceCommandTests {

	private final StringWriter err = new StringWriter();

	@TempDir
	private Path directory;

	@Test
	void failsIfConsumerRequestsRecordsUntilEnd() throws Exception {
		Path file = Files.writeString(this.directory.resolve("file"), "1\n2\n3");
		try (Tower tower = Tower.builder().bindHost("127.0.0.1").inPort(0).outPort(0).start();
				Node<?> consumer = new Node<>("consumer",
						NodeOptions.builder().tower(tower.address()).bindHost("127.0.0.1").build(),
						RequestingConsumer::new)) {
			String address = "127.0.0.1:" + tower.address().inPort() + ':' + tower.address().outPort();
			assertThat(execute("produce", "-t", "t", "-l", "--no-ack", "--tower", address, "--bind", "127.0.0.1",
					file.toString()))
				.isEqualTo(1);
			assertThat(consumer.failure()).isNull();
		}
		assertThat(this.err.toString()).contains("2 of 3 records")
			.contains("a consumer still requested")
			.contains("--linger");
	}

	private int execute(String... arguments) {
		CommandLine commandLine = DafkaCommand.commandLine();
		commandLine.setErr(new PrintWriter(this.err, true));
		return commandLine.execute(arguments);
	}

	/** Consumer that requests record 1 forever, as if the record never arrived. */
	private static final class RequestingConsumer implements Machine {

		private static final Bytes ADDRESS = Bytes.of("CONSUMER");

		private static final Bytes TOPIC = Bytes.of("t");

		private final Machine.Output output;

		private @Nullable Bytes producer;

		private long requestAt = System.nanoTime();

		RequestingConsumer(Machine.Output output) {
			this.output = output;
		}

		@Override
		public List<byte[]> subscriptions() {
			List<byte[]> subscriptions = new ArrayList<>(Subscriptions.consumer(ADDRESS));
			subscriptions.addAll(Subscriptions.topic(TOPIC));
			return subscriptions;
		}

		@Override
		public boolean received(byte[] header, byte @Nullable [] content, long now) {
			if (Command.decode(header, content) instanceof Command.Head head) {
				this.producer = head.address();
			}
			return true;
		}

		@Override
		public void subscribed(byte[] prefix, long now) {
		}

		@Override
		public long work(long now) {
			if (this.producer != null && now - this.requestAt >= 0) {
				this.output.send(new Command.Fetch(this.producer, ADDRESS, TOPIC, 1, 1));
				this.requestAt = now + TimeUnit.MILLISECONDS.toNanos(100);
			}
			return now + TimeUnit.MILLISECONDS.toNanos(100);
		}

		@Override
		public void closed() {
		}

	}

}
