package io.statestore.broker.artemis.disk;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import io.statestore.test.CapturedLog;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.journal.RecordInfo;
import org.apache.activemq.artemis.utils.actors.OrderedExecutorFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;

/** Records of the journal with a hole. */
@Isolated("captures the log")
class CheckedJournalTests {

	private static final int FILE_SIZE = 100 * 1024;

	private static final byte[] RECORD = new byte[5_000];

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final List<RecordInfo> records = new ArrayList<>();

	@TempDir
	Path directory;

	@AfterEach
	void stopThreads() {
		this.threads.shutdownNow();
	}

	private CheckedJournal open() throws Exception {
		String name = this.directory.getFileName().toString();
		DiskState disk = new DiskState(this.directory, Map.of(name, new ReserveFiles(this.directory, FILE_SIZE, 1)));
		Configuration configuration = new ConfigurationImpl();
		JournalFiles files = new JournalFiles(this.directory.toFile(), disk, configuration);
		CheckedJournal journal = new CheckedJournal(files, FILE_SIZE, "test", "amq", configuration,
				new OrderedExecutorFactory(this.threads), disk);
		journal.start();
		this.records.clear();
		journal.load(this.records, new ArrayList<>(), null, true);
		return journal;
	}

	private void write(byte... values) throws Exception {
		CheckedJournal journal = open();
		for (byte value : values) {
			Arrays.fill(RECORD, value);
			journal.appendAddRecord(value, (byte) 1, RECORD, true);
		}
		journal.stop();
	}

	@Test
	void returnsRecords() throws Exception {
		write((byte) 1, (byte) 2);
		open().stop();
		assertThat(this.records).extracting((info) -> info.data).hasSize(2).last().isEqualTo(RECORD);
	}

	@Test
	void removesRecordWithHole() throws Exception {
		write((byte) 1, (byte) 2);
		try (Stream<Path> files = Files.list(this.directory)) {
			for (Path file : files.filter((path) -> path.toString().endsWith(".amq")).toList()) {
				try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
					channel.write(ByteBuffer.allocate(512), 7 * 1024);
				}
			}
		}
		try (CapturedLog log = new CapturedLog(CheckedJournal.class, Level.WARN)) {
			open().stop();
			assertThat(this.records).extracting((info) -> info.id).containsExactly(1L);
			assertThat(log.messages()).hasSize(1);
			open().stop();
			assertThat(this.records).extracting((info) -> info.id).containsExactly(1L);
			assertThat(log.messages()).hasSize(1);
		}
	}

}
