package io.statestore.broker.log;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipInputStream;

import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Unpacks a backup, while no other process can use the directory. The file {@code store}
 * comes last, so that an interrupted restore leaves no store.
 */
final class Restore {

	private static final int BUFFER_BYTES = 256 << 10;

	private final Disk disk;

	private final Path file;

	private final StoreLayout layout;

	Restore(Disk disk, Path file, Path directory) {
		this.disk = disk;
		this.file = file;
		this.layout = new StoreLayout(directory);
	}

	BackupReport run(@Nullable Version after) throws IOException {
		if (!Files.isReadable(this.file)) {
			throw new StoreDirectoryException("File " + this.file + " cannot be read. Check the path");
		}
		requireBeginning();
		this.disk.createDirectories(this.layout.directory());
		// Before the lock, whose file other directories would keep.
		requireEmpty();
		Closeable lock = this.disk.lock(this.layout);
		try (lock) {
			requireEmpty();
			return restore(after);
		}
	}

	private void requireEmpty() throws IOException {
		if (!StoreCreation.otherFiles(this.disk, this.layout.directory()).isEmpty()) {
			throw new StoreDirectoryException(
					"Directory " + this.layout.directory() + " has files. Restore into an empty directory");
		}
	}

	/** Restores into a directory that no other process can use. */
	private BackupReport restore(@Nullable Version after) throws IOException {
		// Also keeps a start from creating a store here if the restore is interrupted.
		RestoredFile.write(this.disk, this.layout, new Restored(Instant.now(), after));
		this.disk.createDirectories(this.layout.log());
		this.disk.createDirectories(this.layout.snapshots());
		Path store = StoreLayout.temporary(this.layout.store());
		this.disk.delete(store);
		Map<String, String> manifest = unpack(store);
		this.disk.forceDirectory(this.layout.log());
		this.disk.forceDirectory(this.layout.snapshots());
		BackupReport report = verify(manifest, store);
		this.disk.rename(store, this.layout.store());
		this.disk.forceDirectory(this.layout.directory());
		return report;
	}

	/** Refuses a file that does not begin as a backup, before anything is changed. */
	private void requireBeginning() throws IOException {
		try (InputStream input = Files.newInputStream(this.file); ZipInputStream zip = new ZipInputStream(input)) {
			if (zip.getNextEntry() != null) {
				return;
			}
		}
		catch (ZipException | EOFException | IllegalArgumentException ex) {
			// Not a ZIP file either.
		}
		throw new StoreDirectoryException(
				"File " + this.file + " is not a backup of a store: it is not a ZIP file. Check the path");
	}

	private Map<String, String> unpack(Path store) throws IOException {
		Map<String, String> manifest = new HashMap<>();
		try (InputStream input = Files.newInputStream(this.file); ZipInputStream zip = new ZipInputStream(input)) {
			for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
				if (entry.getName().equals(BackupFile.MANIFEST)) {
					new String(zip.readNBytes(BUFFER_BYTES), StandardCharsets.UTF_8).lines()
						.map((line) -> line.split("=", 2))
						.filter((parts) -> parts.length == 2)
						.forEach((parts) -> manifest.put(parts[0], parts[1]));
				}
				else {
					copy(zip, entry.getName().equals(StoreLayout.STORE) ? store : target(entry.getName()));
				}
			}
		}
		catch (ZipException | EOFException | IllegalArgumentException ex) {
			throw notBackup("it is damaged (" + ex.getMessage() + ")");
		}
		if (!manifest.containsKey("lastIndex") || !this.disk.exists(store)) {
			throw notBackup("its end is missing, or another program wrote it");
		}
		return manifest;
	}

	/**
	 * Returns where to unpack an entry. Only the names of segments and snapshots are
	 * valid.
	 */
	private Path target(String name) {
		String file = name.substring(name.indexOf('/') + 1);
		if (name.equals(StoreLayout.LOG + '/' + file) && StoreLayout.SEGMENT_NAME.matcher(file).matches()) {
			return this.layout.log().resolve(file);
		}
		if (name.equals(StoreLayout.SNAPSHOT + '/' + file) && StoreLayout.SNAPSHOT_NAME.matcher(file).matches()) {
			return this.layout.snapshots().resolve(file);
		}
		throw notBackup("it has a file '" + name + "'");
	}

	private StoreDirectoryException notBackup(String reason) {
		return new StoreDirectoryException("File " + this.file + " is not a backup of a store: " + reason
				+ ". Delete directory " + this.layout.directory() + " and restore another backup");
	}

	private void copy(ZipInputStream zip, Path target) throws IOException {
		byte[] buffer = new byte[BUFFER_BYTES];
		try (DiskFile output = this.disk.create(target)) {
			long position = 0;
			for (int count = zip.read(buffer); count >= 0; count = zip.read(buffer)) {
				output.write(ByteBuffer.wrap(buffer, 0, count), position);
				position += count;
			}
			output.force();
		}
	}

	/** Verifies what was unpacked, before the store can start. */
	private BackupReport verify(Map<String, String> manifest, Path store) throws IOException {
		CheckReport check = DirectoryCheck.run(this.disk, this.layout, store);
		if (!check.isIntact()) {
			throw new StoreDirectoryException("Backup " + this.file + " is damaged: " + check.problems().get(0));
		}
		if (check.storeId() == null || !Long.toString(check.lastIndex()).equals(manifest.get("lastIndex"))) {
			throw notBackup("it ends with entry " + check.lastIndex() + " instead of " + manifest.get("lastIndex"));
		}
		return new BackupReport(this.file, check.storeId(), check.lastIndex(), Files.size(this.file));
	}

}
