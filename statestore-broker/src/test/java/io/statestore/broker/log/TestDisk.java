package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.statestore.broker.log.SimulatedDisk.Fault;
import io.statestore.broker.log.SimulatedDisk.Operation;
import org.jspecify.annotations.Nullable;

/**
 * A {@link SimulatedDisk} for tests of other packages. A process that has ended cannot
 * change it.
 */
public final class TestDisk {

	private final SimulatedDisk disk;

	/** Chooses the damage. */
	private final Random random;

	private volatile int boot;

	/**
	 * Released to let snapshots be written, {@code null} if they are written immediately.
	 */
	private volatile @Nullable CountDownLatch snapshots;

	/**
	 * Creates an empty disk.
	 * @param seed random seed for the data that a power cut loses
	 */
	public TestDisk(long seed) {
		this.disk = new SimulatedDisk(seed);
		this.random = new Random(seed);
	}

	/** Opens the log in a directory, for a new process. */
	public FileLog open(Path directory, LogOptions options) {
		return FileLog.open(directory, options, new ProcessDisk(this.boot));
	}

	/** Ends all processes, as {@code kill -9} does. */
	public void kill() {
		synchronized (this.disk) {
			this.boot++;
			this.disk.kill();
		}
	}

	/** Ends all processes and loses a random part of the unforced data. */
	public void cutPower() {
		synchronized (this.disk) {
			this.boot++;
			this.disk.cutPower();
		}
	}

	/**
	 * Damages the end of a log whose process has ended: inverts its last byte, replaces
	 * its last bytes with zeros, or cuts them off.
	 */
	public void damageEnd(Path directory) {
		try {
			List<Path> segments = new StoreLayout(directory).segments(this.disk);
			Path last = segments.get(segments.size() - 1);
			LogDamageTests.put(this.disk, last, LogDamageTests.damaged(this.disk.content(last), this.random));
			try (DiskFile file = this.disk.open(last)) {
				file.force();
			}
			this.disk.forceDirectory(new StoreLayout(directory).log());
		}
		catch (IOException ex) {
			throw new AssertionError(ex);
		}
	}

	/** Returns the size of all files in a directory. */
	public long bytes(Path directory) {
		synchronized (this.disk) {
			try {
				long bytes = 0;
				for (Path path : this.disk.list(directory)) {
					try (DiskFile file = this.disk.read(path)) {
						bytes += file.size();
					}
				}
				return bytes;
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	/** Denies or permits further allocation. */
	public void full(boolean full) {
		this.disk.capacity(full ? this.disk.usedBytes() : Long.MAX_VALUE);
	}

	/** Makes the next force fail. */
	public void failNextForce() {
		boolean[] failed = new boolean[1];
		this.disk.faults((operation, path) -> {
			if (operation == Operation.FORCE && !failed[0]) {
				failed[0] = true;
				return Fault.FAIL;
			}
			return Fault.NONE;
		});
	}

	/**
	 * Makes the next force wait; it is waiting once {@link Hold#awaitReached()} returns.
	 */
	public Hold holdNextForce() {
		Hold hold = new Hold();
		this.disk.faults((operation, path) -> {
			if (operation == Operation.FORCE && hold.used.compareAndSet(false, true)) {
				hold.reached.countDown();
				awaitUnlocked(hold.released);
			}
			return Fault.NONE;
		});
		return hold;
	}

	/** Makes each force take a given time, regardless of the amount of data. */
	public void slowForces(long millis) {
		this.disk.faults((operation, path) -> {
			if (operation == Operation.FORCE) {
				awaitUnlocked(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
			}
			return Fault.NONE;
		});
	}

	private void awaitUnlocked(long end) {
		try {
			for (long nanos = end - System.nanoTime(); nanos > 0; nanos = end - System.nanoTime()) {
				this.disk.wait(nanos / 1_000_000, (int) (nanos % 1_000_000));
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Waits without holding the disk's lock, so that other operations continue. */
	private void awaitUnlocked(CountDownLatch latch) {
		long start = System.nanoTime();
		try {
			while (latch.getCount() > 0) {
				this.disk.wait(1);
				if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(30)) {
					throw new AssertionError("Timed out");
				}
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Makes new snapshots wait, but not other files. */
	public Hold holdSnapshots() {
		Hold hold = new Hold();
		this.snapshots = hold.released;
		return hold;
	}

	private void create(Path file) {
		CountDownLatch snapshots = this.snapshots;
		if (snapshots != null && file.toString().contains("snapshot")) {
			await(snapshots);
		}
	}

	private static void await(CountDownLatch latch) {
		try {
			if (!latch.await(30, TimeUnit.SECONDS)) {
				throw new AssertionError("Timed out");
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Makes all later operations fail. */
	public void fail() {
		this.disk.faults((operation, path) -> Fault.FAIL);
	}

	/** A force that waits. */
	public static final class Hold {

		private final AtomicBoolean used = new AtomicBoolean();

		private final CountDownLatch reached = new CountDownLatch(1);

		private final CountDownLatch released = new CountDownLatch(1);

		public void awaitReached() {
			await(this.reached);
		}

		public void release() {
			this.released.countDown();
		}

	}

	/** The disk as seen by one process. */
	private final class ProcessDisk implements Disk {

		private final int startedIn;

		ProcessDisk(int startedIn) {
			this.startedIn = startedIn;
		}

		private <T> T call(Call<T> call) throws IOException {
			synchronized (TestDisk.this.disk) {
				if (this.startedIn != TestDisk.this.boot) {
					throw new ClosedChannelException();
				}
				return call.run(TestDisk.this.disk);
			}
		}

		private void run(Change change) throws IOException {
			call((disk) -> {
				change.run(disk);
				return true;
			});
		}

		@Override
		public DiskFile create(Path file) throws IOException {
			TestDisk.this.create(file);
			return call((disk) -> disk.create(file));
		}

		@Override
		public DiskFile open(Path file) throws IOException {
			return call((disk) -> disk.open(file));
		}

		@Override
		public DiskFile read(Path file) throws IOException {
			return call((disk) -> disk.read(file));
		}

		@Override
		public void rename(Path source, Path target) throws IOException {
			run((disk) -> disk.rename(source, target));
		}

		@Override
		public void link(Path source, Path target) throws IOException {
			run((disk) -> disk.link(source, target));
		}

		@Override
		public void delete(Path file) throws IOException {
			run((disk) -> disk.delete(file));
		}

		@Override
		public void createDirectory(Path directory) throws IOException {
			run((disk) -> disk.createDirectory(directory));
		}

		@Override
		public void forceDirectory(Path directory) throws IOException {
			run((disk) -> disk.forceDirectory(directory));
		}

		@Override
		public OpenDirectory openDirectory(Path directory) {
			return new OpenDirectory() {

				@Override
				public void force() throws IOException {
					forceDirectory(directory);
				}

				@Override
				public void close() {
				}

			};
		}

		@Override
		public List<Path> list(Path directory) throws IOException {
			return call((disk) -> disk.list(directory));
		}

		@Override
		public boolean exists(Path file) {
			return TestDisk.this.disk.exists(file);
		}

		@Override
		public boolean isDirectory(Path file) {
			return TestDisk.this.disk.isDirectory(file);
		}

		@Override
		public Closeable lock(StoreLayout layout) {
			return TestDisk.this.disk.lock(layout);
		}

	}

	/** An operation with a result. */
	@FunctionalInterface
	private interface Call<T> {

		T run(SimulatedDisk disk) throws IOException;

	}

	/** An operation without a result. */
	@FunctionalInterface
	private interface Change {

		void run(SimulatedDisk disk) throws IOException;

	}

}
