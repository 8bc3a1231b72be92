package io.statestore.sample.room;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/** Requests the page continually, like its script. */
final class OpenPage implements AutoCloseable {

	private static final Pattern VALUE = Pattern.compile("data-key=\"([^\"]*)\".*?class=\"value\"><span [^>]*>([^<]*)<",
			Pattern.DOTALL);

	private static final Pattern CHANGES = Pattern.compile("id=\"changes\">(\\d+)<");

	private final HttpClient client = HttpClient.newHttpClient();

	private final HttpRequest request;

	private final Map<String, String> values = new ConcurrentHashMap<>();

	private volatile long changes = -1;

	private volatile int updates;

	private volatile boolean closed;

	private OpenPage(int port) {
		this.request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + '/')).build();
	}

	static OpenPage open(int port) {
		OpenPage page = new OpenPage(port);
		Thread thread = new Thread(page::run, "open-page");
		thread.setDaemon(true);
		thread.start();
		return page;
	}

	private void run() {
		try {
			while (!this.closed) {
				String body = this.client.send(this.request, BodyHandlers.ofString()).body();
				VALUE.matcher(body).results().forEach((value) -> this.values.put(value.group(1), value.group(2)));
				Matcher number = CHANGES.matcher(body);
				if (number.find()) {
					this.changes = Long.parseLong(number.group(1));
				}
				this.updates = this.updates + 1;
				Thread.sleep(200);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Nullable String value(String key) {
		return this.values.get(key);
	}

	long changes() {
		return this.changes;
	}

	int updates() {
		return this.updates;
	}

	@Override
	public void close() {
		this.closed = true;
	}

}
