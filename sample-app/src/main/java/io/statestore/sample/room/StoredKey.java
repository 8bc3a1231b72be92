package io.statestore.sample.room;

/**
 * A key of the store.
 *
 * @param key the key
 * @param value its value as text, shortened
 * @param version version of its value
 * @param changes number of changes since the start of the control room
 */
record StoredKey(String key, String value, String version, long changes) {
}
