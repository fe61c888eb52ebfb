import SessionWorkload
print(check())
