package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;

import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/** The file {@code restored}, which exists from a restore until the next start. */
final class RestoredFile {

	private static final long MAGIC = 0x53_54_41_54_45_52_45_53L;

	private RestoredFile() {
	}

	static void write(Disk disk, StoreLayout layout, Restored restored) throws IOException {
		Version after = restored.after();
		byte[] version = (after != null) ? after.toString().getBytes(StandardCharsets.UTF_8) : new byte[0];
		ByteBuffer bytes = ByteBuffer.allocate(24 + version.length);
		bytes.putLong(MAGIC).putInt(StoreIdentity.FORMAT).putLong(restored.time().toEpochMilli()).put(version);
		SmallFile.write(disk, layout.restored(), Checksums.seal(bytes));
	}

	static @Nullable Restored read(Disk disk, StoreLayout layout) throws IOException {
		Path file = layout.restored();
		if (!disk.exists(file)) {
			return null;
		}
		ByteBuffer bytes = SmallFile.read(disk, file);
		StoreIdentity.requireFormat(file, bytes, MAGIC);
		if (bytes.limit() < 24 || !Checksums.isSealed(bytes)) {
			throw new DamagedLogException(file, 0, "its checksum is wrong");
		}
		Instant time = Instant.ofEpochMilli(bytes.getLong());
		String version = StandardCharsets.UTF_8.decode(bytes.limit(bytes.limit() - Integer.BYTES)).toString();
		try {
			return new Restored(time, version.isEmpty() ? null : Version.parse(version));
		}
		catch (ProtocolException ex) {
			throw new DamagedLogException(file, 20, "'" + version + "' is no version");
		}
	}

	static void delete(Disk disk, StoreLayout layout) throws IOException {
		disk.delete(layout.restored());
		disk.forceDirectory(layout.directory());
	}

}
