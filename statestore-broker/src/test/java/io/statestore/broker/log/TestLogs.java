package io.statestore.broker.log;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.statestore.broker.storage.Fsync;
import org.slf4j.LoggerFactory;

/** Logs whose entries are strings. A snapshot is the list of all strings so far. */
final class TestLogs {

	static final LogOptions SMALL = options(Fsync.ALWAYS);

	private TestLogs() {
	}

	/** Returns options with small segments. */
	static LogOptions options(Fsync fsync) {
		return new LogOptions(fsync, Duration.ofMillis(5), 4_096);
	}

	/** Opens a log, reads everything into a list, and leaves it ready for appending. */
	static FileLog open(Path directory, LogOptions options, Disk disk, List<String> entries) {
		FileLog log = FileLog.open(directory, options, disk);
		try {
			entries.addAll(read(log));
			return log;
		}
		catch (RuntimeException ex) {
			log.close();
			throw ex;
		}
	}

	/** Opens a log on the real disk. */
	static FileLog open(Path directory, List<String> entries) {
		return open(directory, SMALL, new FileDisk(), entries);
	}

	/** Returns all entries in a directory. */
	static List<String> contents(Path directory) {
		List<String> entries = new ArrayList<>();
		open(directory, entries).close();
		return entries;
	}

	/** Reads the snapshot and the batches after it. */
	static List<String> read(FileLog log) {
		List<String> entries = new ArrayList<>();
		try (SnapshotInput snapshot = log.snapshot()) {
			if (snapshot != null) {
				DataInputStream input = new DataInputStream(snapshot);
				long count = input.readLong();
				for (long i = 0; i < count; i++) {
					entries.add(input.readUTF());
				}
				if (snapshot.read() != -1 || count != snapshot.index()) {
					throw new AssertionError("Snapshot " + snapshot.index() + " has " + count + " entries");
				}
			}
		}
		catch (IOException ex) {
			throw new AssertionError(ex);
		}
		log.replay((firstIndex, batch) -> {
			if (firstIndex != entries.size() + 1) {
				throw new AssertionError("Entry " + firstIndex + " follows " + entries.size());
			}
			batch.forEach((entry) -> entries.add(text(entry)));
		});
		if (log.lastIndex() != entries.size()) {
			throw new AssertionError("Last index " + log.lastIndex() + " after " + entries.size());
		}
		return entries;
	}

	static void append(FileLog log, String... entries) {
		append(log, List.of(entries));
	}

	static void append(FileLog log, List<String> entries) {
		log.append(batch(entries));
	}

	static EntryBatch batch(List<String> entries) {
		EntryBatch batch = new EntryBatch();
		entries.forEach((entry) -> batch.add(entry.getBytes()));
		return batch;
	}

	/** Writes a snapshot of the first entries. */
	static void snapshot(FileLog log, List<String> entries) throws IOException {
		try (SnapshotOutput snapshot = log.beginSnapshot(entries.size())) {
			write(entries, snapshot);
			snapshot.commit();
		}
	}

	private static void write(List<String> entries, OutputStream target) throws IOException {
		DataOutputStream output = new DataOutputStream(target);
		output.writeLong(entries.size());
		for (String entry : entries) {
			output.writeUTF(entry);
		}
	}

	/** Writes a backup whose state consists of a single entry. */
	static Path backup(Path file, String entry) throws IOException {
		ByteArrayOutputStream content = new ByteArrayOutputStream();
		content.writeBytes(BackupFile.header(Instant.EPOCH).array());
		write(List.of(entry), content);
		content.writeBytes(sha256(content.toByteArray()));
		return Files.write(file, content.toByteArray());
	}

	private static byte[] sha256(byte[] content) {
		try {
			return MessageDigest.getInstance("SHA-256").digest(content);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new AssertionError(ex);
		}
	}

	/** Returns the warnings about the end of the log. */
	static List<String> warnings(Runnable action) {
		Logger logger = (Logger) LoggerFactory.getLogger(LogRecovery.class);
		ListAppender<ILoggingEvent> appender = new ListAppender<>();
		appender.start();
		logger.setLevel(Level.WARN);
		logger.addAppender(appender);
		try {
			action.run();
		}
		finally {
			logger.setLevel(null);
			logger.detachAppender(appender);
		}
		return appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
	}

	private static String text(ByteBuffer entry) {
		byte[] bytes = new byte[entry.remaining()];
		entry.get(bytes);
		return new String(bytes);
	}

}
