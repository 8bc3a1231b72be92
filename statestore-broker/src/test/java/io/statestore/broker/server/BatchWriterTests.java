package io.statestore.broker.server;

import java.nio.file.Path;
import java.time.Duration;
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
import io.statestore.broker.log.FileLog;
import io.statestore.broker.log.LogOptions;
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
class BatchWriterTests {

	private static final LogEntry SMALL = new LogEntry.Issue(0, 0, null);

	private static final LogEntry LARGE = new LogEntry.Expire(0, 0, null, List.of(Bytes.wrap(new byte[200_000])));

	private final TestDisk disk = new TestDisk(1);

	private final FileLog log = this.disk.open(Path.of("/store"),
			new LogOptions(StorageOptions.in(Path.of("/store")).fsync(), Duration.ofSeconds(1), 64 << 10));

	private final BlockingQueue<Batch> finished = new LinkedBlockingQueue<>();

	private final BlockingQueue<Error> errors = new LinkedBlockingQueue<>();

	private final BatchWriter writer = new BatchWriter(this.log, this.finished::add, this.errors::add);

	private final Logger logger = (Logger) LoggerFactory.getLogger(BatchWriter.class);

	private final ListAppender<ILoggingEvent> messages = new ListAppender<>();

	@BeforeEach
	void start() {
		this.log.replay((firstIndex, entries) -> {
		}, (done, total) -> {
		});
		this.messages.start();
		this.logger.setAdditive(false);
		this.logger.setLevel(Level.INFO);
		this.logger.addAppender(this.messages);
	}

	@AfterEach
	void close() throws InterruptedException {
		this.logger.detachAppender(this.messages);
		this.logger.setLevel(null);
		this.logger.setAdditive(true);
		this.writer.end();
		this.writer.join();
		this.log.close();
	}

	/** Returns the batch with an entry, once it is written or rejected. */
	private Batch write(LogEntry entry) throws InterruptedException {
		this.writer.add(new TestProposal(entry), 1);
		Batch batch = this.finished.poll(10, TimeUnit.SECONDS);
		assertThat(batch).isNotNull();
		return batch;
	}

	@Test
	void leavesOutOnlyEntryThatCannotBeEncoded() throws InterruptedException {
		TestProposal good = new TestProposal(SMALL);
		TestProposal bad = new TestProposal(null);
		TestProposal next = new TestProposal(SMALL);
		this.writer.add(good, 1);
		this.writer.add(bad, 2);
		this.writer.add(next, 3);
		this.writer.start();
		Batch batch = this.finished.poll(10, TimeUnit.SECONDS);
		assertThat(batch).isNotNull();
		assertThat(batch.isCommitted()).isTrue();
		assertThat(batch.lastIndex()).isEqualTo(2);
		assertThat(batch.omitted(good)).isNull();
		assertThat(batch.omitted(next)).isNull();
		Runnable outcome = batch.omitted(bad);
		assertThat(outcome).isNotNull();
		outcome.run();
		assertThat(bad.failed).isTrue();
		assertThat(this.errors).isEmpty();
	}

	@Test
	void warnsOnceWhileOnlySmallBatchesFit() throws InterruptedException {
		this.writer.start();
		write(SMALL);
		this.disk.full(true);
		for (int i = 0; i < 5; i++) {
			assertThat(write(LARGE).isCommitted()).isFalse();
			assertThat(write(SMALL).isCommitted()).isTrue();
		}
		assertThat(this.messages.list).extracting(ILoggingEvent::getFormattedMessage)
			.satisfiesExactly((warning) -> assertThat(warning).startsWith("No space"),
					(recovery) -> assertThat(recovery).startsWith("The disk has space again"));
	}

	/** A read that asks must not take the attempt of a write. */
	@Test
	void remainsWritableUntilEntryIsAdded() throws InterruptedException {
		this.writer.start();
		write(SMALL);
		this.disk.full(true);
		assertThat(write(LARGE).isCommitted()).isFalse();
		await().until(this.writer::isWritable);
		assertThat(this.writer.isWritable()).isTrue();
		write(LARGE);
		assertThat(this.writer.isWritable()).isFalse();
	}

	/** An entry whose outcome is recorded. */
	private static final class TestProposal implements Proposal {

		private final @Nullable LogEntry entry;

		private boolean failed;

		/**
		 * Creates a proposal.
		 * @param entry the entry, or {@code null} for one that cannot be encoded
		 */
		TestProposal(@Nullable LogEntry entry) {
			this.entry = entry;
		}

		@Override
		public LogEntry entry() {
			if (this.entry == null) {
				throw new IllegalArgumentException("This entry cannot be encoded");
			}
			return this.entry;
		}

		@Override
		public int bytes() {
			return 0;
		}

		@Override
		public void applied(Answer answer) {
		}

		@Override
		public void rejected() {
		}

		@Override
		public void failed() {
			this.failed = true;
		}

	}

}
