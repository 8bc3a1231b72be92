package io.statestore.broker.log;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** File with a backup. It gets its name once it is complete and on the disk. */
final class BackupFile {

	static final String MANIFEST = "manifest.properties";

	private final Disk disk = new FileDisk();

	private final Path file;

	BackupFile(Path file) {
		this.file = file;
	}

	/**
	 * Creates the file.
	 * @throws StoreDirectoryException if it exists, or its directory does not
	 */
	BackupReport create(Content content) throws IOException {
		Path parent = this.file.toAbsolutePath().getParent();
		if (parent == null || !Files.isDirectory(parent)) {
			throw new StoreDirectoryException(
					"Directory " + parent + " for the backup does not exist. Create it first");
		}
		if (Files.exists(this.file)) {
			throw new StoreDirectoryException("File " + this.file + " exists. Use another name, or delete the file");
		}
		Path temporary = this.file.resolveSibling(this.file.getFileName() + StoreLayout.TEMPORARY);
		try {
			BackupReport report = content.write(temporary);
			this.disk.rename(temporary, this.file);
			this.disk.forceDirectory(parent);
			return report;
		}
		finally {
			Files.deleteIfExists(temporary);
		}
	}

	/** Writes the last entry, without which a backup is incomplete. */
	static void writeManifest(ZipOutputStream zip, StoreIdentity identity, long lastIndex) throws IOException {
		zip.putNextEntry(new ZipEntry(MANIFEST));
		zip.write(("format=" + StoreIdentity.FORMAT + "\nstoreId=" + identity.id() + "\nlastIndex=" + lastIndex
				+ "\ntime=" + Instant.now() + '\n')
			.getBytes(StandardCharsets.UTF_8));
		zip.closeEntry();
	}

	/** Forces the complete file, before it gets its name. */
	BackupReport force(Path temporary, StoreIdentity identity, long lastIndex) throws IOException {
		try (DiskFile written = this.disk.open(temporary)) {
			written.force();
			return new BackupReport(this.file, identity.id(), lastIndex, written.size());
		}
	}

	/** Content of a backup. */
	@FunctionalInterface
	interface Content {

		/** Writes the content, also over that of an earlier attempt. */
		BackupReport write(Path temporary) throws IOException;

	}

}
