package io.statestore.dafka.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.rocksdb.Options;
import org.rocksdb.Statistics;
import org.rocksdb.TickerType;

/**
 * RocksDB directory, with the states in which a power failure may leave it. RocksDB syncs
 * all files except its write-ahead logs. A state is therefore a copy of the directory in
 * which each log ends between its synced length and its written length. RocksDB's
 * statistics show which part is synced.
 */
final class CrashingDisk implements AutoCloseable {

	private final Path directory;

	private final Statistics statistics = new Statistics();

	private final Map<String, Long> synced = new HashMap<>();

	/** Sizes of each log after each change. */
	private final Map<String, Set<Long>> written = new HashMap<>();

	private long syncs;

	CrashingDisk(Path directory) {
		this.directory = directory;
	}

	/** Observes the engine that uses these options. */
	void observe(Options options) {
		options.setStatistics(this.statistics);
	}

	/**
	 * Reads the state of the disk. Must be called after every change.
	 * @return whether the change, and therefore everything before it, is synced
	 */
	boolean changed() {
		long syncs = this.statistics.getTickerCount(TickerType.WAL_FILE_SYNCED);
		boolean synced = syncs > this.syncs;
		this.syncs = syncs;
		Map<String, Long> logs = logs();
		logs.forEach((log, size) -> this.written.computeIfAbsent(log, (name) -> new TreeSet<>()).add(size));
		if (synced) {
			this.synced.putAll(logs);
		}
		return synced;
	}

	/** Returns the sizes of the write-ahead logs, oldest first. */
	Map<String, Long> logs() {
		Map<String, Long> sizes = new TreeMap<>();
		files(".log").forEach((file) -> {
			// RocksDB may delete an obsolete log at any time.
			long size = file.toFile().length();
			if (Files.exists(file)) {
				sizes.put(file.getFileName().toString(), size);
			}
		});
		return sizes;
	}

	/** Returns the number of table files. */
	long tables() {
		return files(".sst").size();
	}

	/**
	 * Returns lengths to which a power failure may truncate a log, both between changes
	 * and within changes.
	 * @param log name of the log
	 * @param others maximum number of additional lengths, evenly distributed
	 */
	Set<Long> cuts(String log, int others) {
		long from = this.synced.getOrDefault(log, 0L);
		long to = this.directory.resolve(log).toFile().length();
		Set<Long> cuts = new TreeSet<>(this.written.getOrDefault(log, Set.of()));
		cuts.removeIf((cut) -> cut < from);
		for (long cut = from; cut < to; cut += Math.max(1, (to - from) / others)) {
			cuts.add(cut);
		}
		cuts.add(to);
		return cuts;
	}

	/**
	 * Copies the directory as a power failure would leave it.
	 * @param cuts lengths of logs; a negative length omits the log, and all other logs
	 * are complete
	 */
	void crash(Path target, Map<String, Long> cuts) {
		try {
			delete(target);
			Files.createDirectories(target);
			for (Path file : files("")) {
				String name = file.getFileName().toString();
				Path copy = target.resolve(name);
				if (name.endsWith(".sst")) {
					Files.createLink(copy, file);
				}
				else if (cuts.getOrDefault(name, 0L) >= 0) {
					Files.copy(file, copy);
				}
			}
			for (Map.Entry<String, Long> cut : cuts.entrySet()) {
				if (cut.getValue() >= 0) {
					try (FileChannel channel = FileChannel.open(target.resolve(cut.getKey()),
							StandardOpenOption.WRITE)) {
						channel.truncate(cut.getValue());
					}
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Returns an earlier copy of this directory with the current logs. The copy contains
	 * files that were deleted later.
	 */
	CrashingDisk withLogsIn(Path copy) {
		CrashingDisk earlier = new CrashingDisk(copy);
		earlier.synced.putAll(this.synced);
		logs().keySet().forEach((log) -> {
			try {
				Files.copy(this.directory.resolve(log), copy.resolve(log), StandardCopyOption.REPLACE_EXISTING);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		});
		return earlier;
	}

	@Override
	public void close() {
		this.statistics.close();
	}

	private List<Path> files(String suffix) {
		try (Stream<Path> files = Files.list(this.directory)) {
			return files.filter((file) -> file.toString().endsWith(suffix) && !file.endsWith("LOCK")).sorted().toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void delete(Path directory) throws IOException {
		if (Files.exists(directory)) {
			try (Stream<Path> files = Files.walk(directory)) {
				for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
					Files.delete(file);
				}
			}
		}
	}

}
