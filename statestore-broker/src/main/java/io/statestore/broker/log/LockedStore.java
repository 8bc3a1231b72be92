package io.statestore.broker.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Store whose directory no other process can use. */
final class LockedStore implements Closeable {

	private static final Logger logger = LoggerFactory.getLogger(LockedStore.class);

	private final Disk disk;

	private final StoreLayout layout;

	private final Closeable lock;

	private final boolean created;

	private final StoreIdentity identity;

	private volatile @Nullable Restored restored;

	private LockedStore(Disk disk, StoreLayout layout, Closeable lock) throws IOException {
		this.disk = disk;
		this.layout = layout;
		this.lock = lock;
		this.created = !disk.exists(layout.store());
		this.identity = StoreCreation.openOrCreate(disk, layout);
		StoreCreation.complete(disk, layout);
		this.restored = RestoredFile.read(disk, layout);
	}

	/** Locks a directory. Creates the store if the directory is absent or empty. */
	static LockedStore open(Path directory, Disk disk) throws IOException {
		StoreLayout layout = new StoreLayout(directory);
		disk.createDirectories(directory);
		Closeable lock = disk.lock(layout);
		try {
			return new LockedStore(disk, layout, lock);
		}
		catch (IOException | RuntimeException | Error ex) {
			lock.close();
			throw ex;
		}
	}

	Disk disk() {
		return this.disk;
	}

	StoreLayout layout() {
		return this.layout;
	}

	StoreIdentity identity() {
		return this.identity;
	}

	/** Returns whether {@link #open} created the store. */
	boolean isCreated() {
		return this.created;
	}

	/** Returns the restore that created the store, unless it was forgotten. */
	@Nullable Restored restored() {
		return this.restored;
	}

	void forgetRestore() throws IOException {
		RestoredFile.delete(this.disk, this.layout);
		this.restored = null;
	}

	/** Returns the exception for an error of the operating system in the directory. */
	StoreDirectoryException failure(IOException cause) {
		return StoreErrors.of(this.layout.directory(), cause);
	}

	/** Releases the lock. */
	@Override
	public void close() {
		try {
			this.lock.close();
		}
		catch (IOException ex) {
			logger.debug("Cannot release the lock of {}", this.layout.directory(), ex);
		}
	}

}
