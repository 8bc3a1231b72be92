package io.statestore.broker.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.Administration;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.BackupQuery;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import org.jspecify.annotations.Nullable;

/** Backups that a test reads. */
public final class TestBackups {

	private TestBackups() {
	}

	/** Requests a page. */
	static AdministrationPage<Bytes> page(RecordingConnection client, @Nullable String token) {
		RecordingConnection.Draft draft = client.draft(new Command.Get(Bytes.of("k")));
		draft.payload = Administration.encode(new BackupQuery(token));
		client.server().administer(draft.toRequest(), true);
		byte[] answer = ((OutgoingMessage) client.take()).payload();
		client.take();
		return Administration.decodePage(Bytes.class, Bytes.wrap(answer));
	}

	/** Returns the rest of a backup, starting with a page. */
	static byte[] rest(RecordingConnection client, AdministrationPage<Bytes> first) {
		ByteArrayOutputStream content = new ByteArrayOutputStream();
		AdministrationPage<Bytes> page = first;
		for (String token = page.token(); token != null; token = page.token()) {
			content.writeBytes(page.items().get(0).toArray());
			page = page(client, token);
		}
		content.writeBytes(page.items().get(0).toArray());
		return content.toByteArray();
	}

	/** Writes a backup of a server. */
	public static Path write(StateStoreServer server, Path file) {
		RecordingConnection client = RecordingConnection.to(server, "backup");
		try {
			return Files.write(file, rest(client, page(client, null)));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			server.disconnected(client);
		}
	}

	/** Starts the store in a directory and writes a backup of it. */
	static Path write(Path directory, Path file) {
		try (StateStoreServer server = new StateStoreServer(
				StateStoreServerOptions.defaults().withStorage(StorageOptions.in(directory)))) {
			return write(server, file);
		}
	}

}
