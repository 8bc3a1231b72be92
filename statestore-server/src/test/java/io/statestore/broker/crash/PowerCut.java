package io.statestore.broker.crash;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Simulates how a power failure leaves a directory: with all forced changes, and with any
 * part of the other changes. Creations, renames, and deletions become durable in order,
 * at the latest when their directory is forced.
 */
public final class PowerCut {

	private final Random random;

	/** Accepts paths of files whose creation is forced together with the file. */
	private final Predicate<String> lenient;

	/** Entries as the process sees them, by path. */
	private final Map<String, Entry> live = new TreeMap<>();

	/** Entries on the disk, by path. */
	private final Map<String, Entry> durable = new TreeMap<>();

	private final Map<Long, Entry> opened = new HashMap<>();

	/** Changes of entries that were not forced, in order. */
	private final List<EntryChange> entryChanges = new ArrayList<>();

	/**
	 * Creates an empty directory.
	 * @param random determines what a power failure leaves
	 */
	public PowerCut(Random random) {
		this((path) -> false, random);
	}

	/**
	 * Creates an empty directory.
	 * @param lenient accepts paths of files whose creation is durable when the file is
	 * forced, as on ext4, XFS, and Btrfs, although POSIX does not require this
	 * @param random determines what a power failure leaves
	 */
	PowerCut(Predicate<String> lenient, Random random) {
		this.lenient = lenient;
		this.random = random;
		this.live.put("", new Entry("", null));
		this.durable.putAll(this.live);
	}

	/** A file, or a directory, which does not have content. */
	private record Entry(String path, @Nullable UnforcedFile file) {

		UnforcedFile content() {
			return Objects.requireNonNull(this.file);
		}

	}

	/**
	 * An atomic change of entries.
	 *
	 * @param sequence number of the operation
	 * @param directory directory of the entries
	 * @param entries new entries by path, {@code null} for removed entries
	 */
	private record EntryChange(long sequence, String directory, Map<String, @Nullable Entry> entries) {
	}

	/** Repeats a process's operations. */
	void replay(List<JournalRecord> records) {
		for (int i = 0; i < records.size(); i++) {
			replay(i, records.get(i));
		}
	}

	private void replay(long sequence, JournalRecord operation) {
		switch (operation.type()) {
			case OPEN -> open(sequence, operation);
			case WRITE -> opened(operation).content().write(sequence, operation.number(), operation.data());
			case TRUNCATE -> opened(operation).content().truncate(sequence, operation.number());
			case FORCE -> force(opened(operation), operation.number());
			case FAILED_FORCE -> failForce(opened(operation), operation.number());
			case MKDIR -> change(sequence, operation.path(), new Entry(operation.path(), null));
			case UNLINK, RMDIR -> change(sequence, operation.path(), null);
			case RENAME -> rename(sequence, operation.path(), operation.target());
			case LINK -> change(sequence, operation.target(),
					new Entry(operation.target(), Objects.requireNonNull(this.live.get(operation.path())).content()));
			case UNSUPPORTED -> throw new IllegalArgumentException(operation.toString());
		}
	}

	private Entry opened(JournalRecord operation) {
		return Objects.requireNonNull(this.opened.get(operation.inode()), operation::toString);
	}

	private void open(long sequence, JournalRecord operation) {
		String path = operation.path();
		if (operation.isCreated()) {
			change(sequence, path, new Entry(path, new UnforcedFile(new byte[0])));
		}
		this.opened.put(operation.inode(), Objects.requireNonNull(this.live.get(path), path));
	}

	private void change(long sequence, String path, @Nullable Entry entry) {
		Map<String, @Nullable Entry> entries = new LinkedHashMap<>();
		entries.put(path, entry);
		change(new EntryChange(sequence, parent(path), entries));
	}

	private void rename(long sequence, String from, String to) {
		Entry entry = Objects.requireNonNull(this.live.get(from), from);
		Map<String, @Nullable Entry> entries = new LinkedHashMap<>();
		entries.put(from, null);
		entries.put(to, new Entry(to, entry.content()));
		change(new EntryChange(sequence, parent(to), entries));
	}

	private void change(EntryChange change) {
		this.entryChanges.add(change);
		apply(change, this.live);
	}

	private static void apply(EntryChange change, Map<String, Entry> target) {
		change.entries.forEach((path, entry) -> {
			if (entry != null) {
				target.put(path, entry);
			}
			else {
				target.remove(path);
			}
		});
	}

	private void force(Entry entry, long before) {
		if (entry.file() == null) {
			forceEntries(before, (change) -> change.directory.equals(entry.path()));
			return;
		}
		entry.file().force(before);
		if (this.lenient.test(entry.path())) {
			forceEntries(before, (change) -> entry.path().startsWith(change.directory));
		}
	}

	private void forceEntries(long before, Predicate<EntryChange> condition) {
		this.entryChanges.removeIf((change) -> {
			boolean forced = change.sequence < before && condition.test(change);
			if (forced) {
				apply(change, this.durable);
			}
			return forced;
		});
	}

	private void failForce(Entry entry, long before) {
		if (entry.file() != null) {
			entry.file().failForce(before, this.random);
		}
	}

	/**
	 * Replaces a directory's contents with what a power failure leaves. The next process
	 * starts with these contents.
	 */
	void cut(Path directory) throws IOException {
		this.entryChanges.stream()
			.collect(Collectors.groupingBy(EntryChange::directory))
			.values()
			.forEach((changes) -> changes.subList(0, this.random.nextInt(changes.size() + 1))
				.forEach((change) -> apply(change, this.durable)));
		this.entryChanges.clear();
		// Parents come before their children.
		this.durable.keySet().removeIf((path) -> !path.isEmpty() && !this.durable.containsKey(parent(path)));
		this.live.clear();
		this.live.putAll(this.durable);
		this.opened.clear();
		deleteContents(directory);
		Map<UnforcedFile, Path> written = new IdentityHashMap<>();
		for (Map.Entry<String, Entry> element : this.durable.entrySet()) {
			Path path = directory.resolve(element.getKey());
			UnforcedFile file = element.getValue().file();
			if (file != null && written.containsKey(file)) {
				Files.createLink(path, Objects.requireNonNull(written.get(file)));
			}
			else if (file != null) {
				written.put(file, Files.write(path, file.cut(this.random)));
			}
			else if (!path.equals(directory)) {
				Files.createDirectory(path);
			}
		}
	}

	private static void deleteContents(Path directory) throws IOException {
		try (Stream<Path> paths = Files.walk(directory)) {
			paths.filter((path) -> !path.equals(directory)).sorted(Comparator.reverseOrder()).forEach((path) -> {
				try {
					Files.delete(path);
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			});
		}
	}

	private static String parent(String path) {
		int slash = path.lastIndexOf('/');
		return (slash < 0) ? "" : path.substring(0, slash);
	}

}
