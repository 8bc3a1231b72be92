package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * An in-memory disk that loses unforced data. A power cut keeps a random part of this
 * data: for each file, any subset of its 512-byte sectors, with their content at any time
 * since the last force; for each directory, the first few changes. Can fail, fill up, and
 * stop at any operation. Thread-safe.
 */
class SimulatedDisk implements Disk {

	/** Whether and how an operation fails. */
	enum Fault {

		NONE, FAIL, CUT

	}

	/** Operations that may fail. */
	enum Operation {

		CREATE, WRITE, FORCE, RENAME, DELETE, FORCE_DIRECTORY

	}

	/** Decides about each operation. */
	interface Faults {

		Fault next(Operation operation, Path path) throws IOException;

	}

	private final Random random;

	/** Names of files and directories, as seen by processes. */
	private final Map<Path, Inode> names = new TreeMap<>();

	/** Names that survive a power cut. */
	private final Map<Path, Inode> durableNames = new HashMap<>();

	/** Changes that are not forced, by directory. */
	private final Map<Path, List<Consumer<Map<Path, Inode>>>> changes = new HashMap<>();

	private Faults faults = (operation, path) -> Fault.NONE;

	private long capacity = Long.MAX_VALUE;

	/** Incremented when all processes end. Files opened earlier can no longer be used. */
	private int boot;

	SimulatedDisk(long seed) {
		this.random = new Random(seed);
	}

	synchronized void faults(Faults faults) {
		this.faults = faults;
	}

	/** Limits the size of all files, in bytes. */
	synchronized void capacity(long bytes) {
		this.capacity = bytes;
	}

	synchronized long usedBytes() {
		return this.names.values().stream().distinct().mapToLong((inode) -> inode.size).sum();
	}

	/** Returns the content of a file, as seen by processes. */
	synchronized byte[] content(Path path) {
		Inode inode = this.names.get(path);
		if (inode == null) {
			throw new IllegalArgumentException(path.toString());
		}
		return Arrays.copyOf(inode.bytes, inode.size);
	}

	/** Ends all processes. Nothing is lost. */
	synchronized void kill() {
		this.boot++;
		this.faults = (operation, path) -> Fault.NONE;
	}

	/** Ends all processes and loses a random part of the unforced data. */
	synchronized void cutPower() {
		kill();
		this.changes.forEach((directory, list) -> list.subList(0, this.random.nextInt(list.size() + 1))
			.forEach((change) -> change.accept(this.durableNames)));
		this.changes.clear();
		this.names.clear();
		this.names.putAll(this.durableNames);
		// In this order, a directory precedes its content.
		this.names.keySet().removeIf(this::isOrphan);
		this.durableNames.keySet().retainAll(this.names.keySet());
		Set.copyOf(this.names.values()).forEach((inode) -> inode.lose(this.random));
	}

	private boolean isOrphan(Path path) {
		Path parent = path.getParent();
		return parent != null && !exists(parent);
	}

	private void before(Operation operation, Path path) throws IOException {
		switch (this.faults.next(operation, path)) {
			case FAIL -> throw new IOException("Simulated failure of " + operation);
			case CUT -> throw new PowerCut();
			default -> {
			}
		}
	}

	private void change(Path path, Consumer<Map<Path, Inode>> change) {
		change.accept(this.names);
		this.changes.computeIfAbsent(path.getParent(), (directory) -> new ArrayList<>()).add(change);
	}

	@Override
	public synchronized DiskFile create(Path path) throws IOException {
		before(Operation.CREATE, path);
		if (this.names.containsKey(path)) {
			throw new FileAlreadyExistsException(path.toString());
		}
		if (usedBytes() >= this.capacity) {
			throw new IOException("No space left on device");
		}
		Inode inode = new Inode();
		change(path, (map) -> map.put(path, inode));
		return new SimulatedFile(path, inode, this.boot);
	}

	@Override
	public synchronized DiskFile open(Path path) throws IOException {
		Inode inode = this.names.get(path);
		if (inode == null) {
			throw new NoSuchFileException(path.toString());
		}
		return new SimulatedFile(path, inode, this.boot);
	}

	@Override
	public DiskFile read(Path path) throws IOException {
		return open(path);
	}

	@Override
	public synchronized void rename(Path source, Path target) throws IOException {
		before(Operation.RENAME, target);
		Inode inode = this.names.get(source);
		if (inode == null) {
			throw new NoSuchFileException(source.toString());
		}
		change(target, (map) -> {
			map.remove(source);
			map.put(target, inode);
		});
	}

	@Override
	public synchronized void link(Path source, Path target) throws IOException {
		before(Operation.CREATE, target);
		Inode inode = this.names.get(source);
		if (inode == null) {
			throw new NoSuchFileException(source.toString());
		}
		if (this.names.containsKey(target)) {
			throw new FileAlreadyExistsException(target.toString());
		}
		change(target, (map) -> map.put(target, inode));
	}

	@Override
	public synchronized void delete(Path path) throws IOException {
		before(Operation.DELETE, path);
		if (this.names.containsKey(path)) {
			change(path, (map) -> map.remove(path));
		}
	}

	@Override
	public synchronized void createDirectory(Path directory) throws IOException {
		create(directory).close();
	}

	@Override
	public OpenDirectory openDirectory(Path directory) {
		return new OpenDirectory() {

			@Override
			public void force() throws IOException {
				forceNames(directory);
			}

			@Override
			public void close() {
			}

		};
	}

	@Override
	public synchronized void forceDirectory(Path directory) throws IOException {
		forceNames(directory);
	}

	private synchronized void forceNames(Path directory) throws IOException {
		before(Operation.FORCE_DIRECTORY, directory);
		this.changes.getOrDefault(directory, List.of()).forEach((change) -> change.accept(this.durableNames));
		this.changes.remove(directory);
	}

	@Override
	public synchronized List<Path> list(Path directory) throws IOException {
		if (!exists(directory)) {
			throw new NoSuchFileException(directory.toString());
		}
		return this.names.keySet().stream().filter((path) -> directory.equals(path.getParent())).toList();
	}

	@Override
	public synchronized boolean exists(Path file) {
		return file.getParent() == null || this.names.containsKey(file);
	}

	@Override
	public boolean isDirectory(Path file) {
		return exists(file);
	}

	@Override
	public Closeable lock(StoreLayout layout) {
		return () -> {
		};
	}

	/** Thrown by the operation during which the power is cut. */
	static final class PowerCut extends RuntimeException {

	}

	private record Write(long position, byte[] bytes) {
	}

	/** Content of a file. */
	private static final class Inode {

		private static final int SECTOR = 512;

		private byte[] bytes = new byte[0];

		private int size;

		private byte[] durable = new byte[0];

		private final List<Write> unforced = new ArrayList<>();

		void write(Write write) {
			int end = (int) write.position() + write.bytes().length;
			this.bytes = grown(this.bytes, end);
			this.size = Math.max(this.size, end);
			System.arraycopy(write.bytes(), 0, this.bytes, (int) write.position(), write.bytes().length);
			this.unforced.add(write);
		}

		private static byte[] grown(byte[] bytes, int size) {
			return (size <= bytes.length) ? bytes : Arrays.copyOf(bytes, Math.max(size, 2 * bytes.length));
		}

		/** Writes unforced data. Data lost by an earlier force stays lost. */
		void force() {
			for (Write write : this.unforced) {
				int end = (int) write.position() + write.bytes().length;
				this.durable = Arrays.copyOf(this.durable, Math.max(this.durable.length, end));
				System.arraycopy(write.bytes(), 0, this.durable, (int) write.position(), write.bytes().length);
			}
			this.unforced.clear();
		}

		/** Writes a random part of the unforced data and drops the rest. */
		void failForce(Random random) {
			int size = this.durable.length;
			for (Write write : this.unforced.subList(0, random.nextInt(this.unforced.size() + 1))) {
				size = Math.max(size, (int) write.position() + write.bytes().length);
			}
			byte[] kept = Arrays.copyOf(this.durable, size);
			Map<Integer, Integer> writesOfSector = new HashMap<>();
			for (int number = 0; number < this.unforced.size(); number++) {
				Write write = this.unforced.get(number);
				for (int i = 0; i < write.bytes().length; i++) {
					int at = (int) write.position() + i;
					int kind = writesOfSector.computeIfAbsent(at / SECTOR,
							(sector) -> random.nextInt(this.unforced.size() + 1));
					if (number < kind && at < size) {
						kept[at] = write.bytes()[i];
					}
				}
			}
			this.durable = kept;
			this.unforced.clear();
		}

		void lose(Random random) {
			failForce(random);
			this.bytes = this.durable.clone();
			this.size = this.durable.length;
		}

	}

	private final class SimulatedFile implements DiskFile {

		private final Path path;

		private final Inode inode;

		private final int openedIn;

		private boolean closed;

		SimulatedFile(Path path, Inode inode, int openedIn) {
			this.path = path;
			this.inode = inode;
			this.openedIn = openedIn;
		}

		private void requireOpen() throws IOException {
			if (this.closed || this.openedIn != SimulatedDisk.this.boot) {
				throw new ClosedChannelException();
			}
		}

		@Override
		public void write(ByteBuffer source, long position) throws IOException {
			synchronized (SimulatedDisk.this) {
				requireOpen();
				byte[] bytes = new byte[source.remaining()];
				source.get(bytes);
				try {
					before(Operation.WRITE, this.path);
				}
				catch (IOException | PowerCut ex) {
					write(bytes, position, SimulatedDisk.this.random.nextInt(bytes.length + 1));
					throw ex;
				}
				long free = SimulatedDisk.this.capacity - usedBytes() + this.inode.size;
				if (position + bytes.length > Math.max(free, this.inode.size)) {
					write(bytes, position, (int) Math.max(0, free - position));
					throw new IOException("No space left on device");
				}
				write(bytes, position, bytes.length);
			}
		}

		private void write(byte[] bytes, long position, int count) {
			if (count > 0) {
				this.inode.write(new Write(position, Arrays.copyOf(bytes, count)));
			}
		}

		@Override
		public int read(ByteBuffer target, long position) throws IOException {
			synchronized (SimulatedDisk.this) {
				requireOpen();
				int count = (int) Math.max(0, Math.min(target.remaining(), this.inode.size - position));
				target.put(this.inode.bytes, (int) Math.min(position, this.inode.size), count);
				return count;
			}
		}

		@Override
		public void force() throws IOException {
			synchronized (SimulatedDisk.this) {
				requireOpen();
				try {
					before(Operation.FORCE, this.path);
				}
				catch (IOException ex) {
					this.inode.failForce(SimulatedDisk.this.random);
					throw ex;
				}
				this.inode.force();
			}
		}

		@Override
		public long size() {
			synchronized (SimulatedDisk.this) {
				return this.inode.size;
			}
		}

		@Override
		public void close() {
			this.closed = true;
		}

	}

}
