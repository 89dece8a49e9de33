"""A policy for berth: the shortest estimate first, head of the line.

    berth run mixed-control --policy 'exec:command="python3 shortest_first.py"'

docs/protocol.md describes the messages.
"""
import json
import sys

estimate = {}  # job -> nanoseconds
waiting = []   # jobs, the shortest first, equal ones in the order in which they came

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"protocol": 1, "name": "shortest first"}
    else:
        left = message.get("started", []) + message.get("ended", [])
        gone = {change["job"] for change in left}
        waiting = [job for job in waiting if job not in gone]
        for job in message.get("arrived", []):
            estimate[job["id"]] = job["estimate"]
        waiting += message.get("eligible", [])
        waiting.sort(key=estimate.get)  # Python's sort keeps the order of equals
        answer = {"round": message["round"], "decisions": [{"line": waiting}]}
    print(json.dumps(answer), flush=True)
