package io.statestore.broker.server;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.statestore.broker.engine.Answer;
import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.log.TestDisk;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Isolated("captures the log")
class FileSinkTests {

	private static final LogEntry SMALL = new LogEntry.Issue(0, 0, null);

	private static final LogEntry LARGE = new LogEntry.Expire(0, 0, null, List.of(Bytes.wrap(new byte[200_000])));

	@SuppressWarnings("NullAway") // Cannot be encoded.
	private static final LogEntry BAD = new LogEntry.Write(0, 0, null, null, null, null, "client", Bytes.EMPTY, 0, null,
			false);

	private final TestDisk disk = new TestDisk(1);

	private final BlockingQueue<String> outcomes = new LinkedBlockingQueue<>();

	private final BlockingQueue<Error> errors = new LinkedBlockingQueue<>();

	private final SerialExecutor serial = new SerialExecutor(Runnable::run, this.errors::add);

	private final CommandLog log = new LocalStore(
			StateStoreServerOptions.defaults().withStorage(StorageOptions.in(Path.of("/store"))),
			new ServerTuning(16 << 20, 64 << 10, 64 << 20, this.disk::open), this.serial, this.errors::add)
		.open((key, value, version, author) -> {
		}, () -> {
		})
		.log();

	private final Logger logger = (Logger) LoggerFactory.getLogger(FileSink.class);

	private final ListAppender<ILoggingEvent> messages = new ListAppender<>();

	@BeforeEach
	void captureLog() {
		this.messages.start();
		this.logger.setAdditive(false);
		this.logger.setLevel(Level.INFO);
		this.logger.addAppender(this.messages);
	}

	@AfterEach
	void close() {
		this.logger.detachAppender(this.messages);
		this.logger.setLevel(null);
		this.logger.setAdditive(true);
		this.serial.execute(this.log::end);
		this.log.close();
		assertThat(this.errors).isEmpty();
	}

	private void append(LogEntry entry) {
		this.serial.execute(() -> this.log.append(new Proposal(entry, 0, new Proposal.Handler() {

			@Override
			public void applied(Answer answer) {
				FileSinkTests.this.outcomes.add("applied");
			}

			@Override
			public void rejected() {
				FileSinkTests.this.outcomes.add("rejected");
			}

			@Override
			public void failed() {
				FileSinkTests.this.outcomes.add("failed");
			}

		})));
	}

	/** Appends an entry and returns its outcome. */
	private @Nullable String write(LogEntry entry) throws InterruptedException {
		append(entry);
		return this.outcomes.poll(10, TimeUnit.SECONDS);
	}

	@Test
	void omitsOnlyEntryThatCannotBeEncoded() {
		append(SMALL);
		append(BAD);
		append(SMALL);
		this.log.start();
		await().untilAsserted(() -> assertThat(this.outcomes).containsExactly("applied", "failed", "applied"));
	}

	@Test
	void warnsOnceWhileOnlySmallBatchesFit() throws InterruptedException {
		this.log.start();
		write(SMALL);
		this.disk.full(true);
		for (int i = 0; i < 5; i++) {
			assertThat(write(LARGE)).isEqualTo("rejected");
			assertThat(write(SMALL)).isEqualTo("applied");
		}
		assertThat(this.messages.list).extracting(ILoggingEvent::getFormattedMessage)
			.satisfiesExactly((warning) -> assertThat(warning).startsWith("No space"),
					(recovery) -> assertThat(recovery).startsWith("The disk has space again"));
	}

	/**
	 * A read that asks whether the log is writable must not use up the attempt meant for
	 * a write.
	 */
	@Test
	void remainsWritableUntilEntryIsAdded() throws InterruptedException {
		this.log.start();
		write(SMALL);
		this.disk.full(true);
		assertThat(write(LARGE)).isEqualTo("rejected");
		await().until(this.log::isWritable);
		assertThat(this.log.isWritable()).isTrue();
		write(LARGE);
		assertThat(this.log.isWritable()).isFalse();
	}

}
