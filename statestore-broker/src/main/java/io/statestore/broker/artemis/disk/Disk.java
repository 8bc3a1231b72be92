package io.statestore.broker.artemis.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Writes files and folders to the disk. */
interface Disk {

	/** The real disk. */
	Disk REAL = (path, isFolder) -> {
		try (FileChannel channel = FileChannel.open(path,
				isFolder ? StandardOpenOption.READ : StandardOpenOption.WRITE)) {
			channel.force(isFolder);
		}
	};

	/**
	 * Returns when a file or folder is on the disk.
	 * @param path the file or folder
	 * @param isFolder whether it is a folder
	 * @throws IOException if the disk fails
	 */
	void force(Path path, boolean isFolder) throws IOException;

}
