package io.statestore.sample.room;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/** Reads the events as an open page does, over a connection of its own. */
final class OpenPage implements AutoCloseable {

	private static final Pattern VALUE = Pattern
		.compile("(?:id=\"|innerHTML:#)(k[0-9a-f]{24})-value\"><span(?: class=\"changed\")?>([^<]*)<");

	private static final Pattern CHANGES = Pattern.compile("#changes\">(\\d+)<");

	private final Socket socket = new Socket();

	private final CountDownLatch reads = new CountDownLatch(1);

	private final Map<String, String> values = new ConcurrentHashMap<>();

	private volatile long changes = -1;

	private volatile int events;

	private volatile boolean ended;

	private volatile String latest = "";

	private final StringBuffer text = new StringBuffer();

	/** Opens a page that reads as fast as it can. */
	static OpenPage open(int port) {
		OpenPage page = stalled(port, "/events");
		page.read();
		return page;
	}

	/** Opens a page that does not read yet. */
	static OpenPage stalled(int port, String path) {
		OpenPage page = new OpenPage();
		try {
			page.socket.setReceiveBufferSize(8192);
			page.socket.connect(new InetSocketAddress("127.0.0.1", port));
			page.socket.getOutputStream()
				.write(("GET " + path + " HTTP/1.0\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Thread thread = new Thread(page::run, "open-page");
		thread.setDaemon(true);
		thread.start();
		return page;
	}

	void read() {
		this.reads.countDown();
	}

	private void run() {
		try (BufferedReader lines = new BufferedReader(
				new InputStreamReader(this.socket.getInputStream(), StandardCharsets.UTF_8))) {
			this.reads.await();
			StringBuilder event = new StringBuilder();
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				received(line, event);
			}
		}
		catch (IOException ex) {
			// The connection has ended.
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.ended = true;
	}

	private void received(String line, StringBuilder event) {
		if (this.text.length() < 1_000_000) {
			this.text.append(line).append('\n');
		}
		if (line.contains("-value")) {
			VALUE.matcher(line).results().forEach((value) -> this.values.put(value.group(1), value.group(2)));
		}
		Matcher number = CHANGES.matcher(line);
		if (number.find()) {
			this.changes = Long.parseLong(number.group(1));
		}
		event.append(line).append('\n');
		if (line.isEmpty()) {
			// The header of the response ends with an empty line, too.
			if (event.indexOf("event:") == 0) {
				this.latest = event.toString();
				this.events = this.events + 1;
			}
			event.setLength(0);
		}
	}

	@Nullable String value(String key) {
		return this.values.get(ReadableText.id("k", key));
	}

	long changes() {
		return this.changes;
	}

	int events() {
		return this.events;
	}

	/** Returns the latest event. */
	String latest() {
		return this.latest;
	}

	/** Returns everything received, up to a million characters. */
	String text() {
		return this.text.toString();
	}

	boolean ended() {
		return this.ended;
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
