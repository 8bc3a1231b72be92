package io.statestore.broker.conformance;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.statestore.protocol.Administration;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.BackupQuery;
import io.statestore.protocol.Bytes;
import io.statestore.test.RawPublish;
import org.jspecify.annotations.Nullable;

/** Reads a store's backup over MQTT and writes it to a file. */
public final class BackupReader {

	private BackupReader() {
	}

	/** Writes a backup of the store that listens on a local port. */
	public static Path write(int port, Path file) {
		try (StoreClient client = StoreClient.connect(port, "backup-reader")) {
			ByteArrayOutputStream content = new ByteArrayOutputStream();
			AdministrationPage<Bytes> page = page(client, null);
			for (String token = page.token(); token != null; token = page.token()) {
				content.writeBytes(page.items().get(0).toArray());
				page = page(client, token);
			}
			content.writeBytes(page.items().get(0).toArray());
			return Files.write(file, content.toByteArray());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static AdministrationPage<Bytes> page(StoreClient client, @Nullable String token) {
		RawPublish request = client.request(Administration.encode(new BackupQuery(token)));
		request.topic = Administration.REQUEST_TOPIC;
		return Administration.decodePage(Bytes.class, Bytes.wrap(client.exchange(request).payload));
	}

}
